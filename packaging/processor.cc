// Defines the table that __builtin_cpu_supports() reads and that zig's compiler-rt lacks. It claims
// that the processor has no instructions beyond the basic ones, so strata takes its portable code
// everywhere.
extern "C" {
struct {
  unsigned vendor, type, subtype, features[1];
} __cpu_model = {};
unsigned __cpu_features2[3] = {};
int __cpu_indicator_init() { return 0; }
}
