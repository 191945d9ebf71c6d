/* What strata counts, from C: the program's own table, and a column of it as numbers.
 *
 *   count_from_c model.onnx */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <strata/c.h>

/* The sum of a column of whole numbers; -1 if the table has none of that name. */
static int64_t sum_of(strata_document *document, const char *column) {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray rows;
  int64_t sum = -1;
  if (strata_document_arrow(document, 0, &stream) != STRATA_CODE_FINE) return -1;
  if (stream.get_schema(&stream, &schema) == 0) {
    if (stream.get_next(&stream, &rows) == 0 && rows.release != NULL) {
      for (int64_t i = 0; i < schema.n_children; ++i) {
        if (strcmp(schema.children[i]->name, column) != 0 ||
            strcmp(schema.children[i]->format, "l") != 0)
          continue;
        sum = 0;
        for (int64_t row = 0; row < rows.length; ++row) /* an unknown one counts as 0 here */
          sum += ((const int64_t *)rows.children[i]->buffers[1])[row];
      }
      rows.release(&rows);
    }
    schema.release(&schema);
  }
  stream.release(&stream);
  return sum;
}

int main(int argc, char **argv) {
  const char *words[] = {"stat", argc > 1 ? argv[1] : "zoo:mobilenet_v2", "--report", "type"};
  const strata_call call = {.size = sizeof call, .words = words, .word_count = 4};
  strata_document *document = NULL;
  const int code = strata_run(&call, &document);
  if (code == STRATA_CODE_FINE)
    printf("%s\n%" PRId64 " MACs, says strata %s\n", strata_document_text(document, NULL),
           sum_of(document, "macs"), strata_version());
  else
    fprintf(stderr, "%s\n", strata_document_error(document));
  strata_document_free(document);
  return code;
}
