# The floors of src/, lowest first (docs/adr/0059-floors.md). A header is included by its room, whatever
# its floor: "cost/liveness.h" is src/core/cost/liveness.h.
set(STRATA_FLOORS core model run quant answer judge front)
list(TRANSFORM STRATA_FLOORS PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE STRATA_SOURCE_FOLDERS)
