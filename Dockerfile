# This file has been linted and not built.
#
#   docker build --tag strata .
#   docker run --rm --volume "$PWD:/work" strata stat model.onnx

FROM debian:12 AS build
WORKDIR /strata
COPY deps deps
RUN deps/install.sh build engines
COPY . .
RUN make install PREFIX=/usr/local

FROM debian:12-slim
# libfmt9 and libstdc++6 are for the engine. The program opens the others when it needs them: images and
# arrays to run models on, compressed .pt2 files, the confinement of processes that run a model, and
# charts as PNG with their letters.
# Debian 12 keeps the versions of its packages; updates within it are wanted.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      fonts-dejavu-core libcairo2 libfmt9 libjpeg62-turbo libpng16-16 libseccomp2 libstdc++6 libzip4 \
      zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/strata /usr/local/bin/strata
COPY --from=build /usr/local/lib/strata/engines /usr/local/lib/strata/engines
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["strata"]
CMD ["--help"]
