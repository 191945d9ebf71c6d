/* strata from C, and from whatever calls C: the commands of the program in the caller's process.
 *
 *   const char *words[] = {"stat", "model.onnx", "--batch", "4"};
 *   strata_call call = {sizeof call, words, 4};
 *   strata_document *document = NULL;
 *   int code = strata_run(&call, &document);
 *   if (code == 0)
 *     puts(strata_document_text(document));
 *   else
 *     fprintf(stderr, "%s\n", strata_document_error(document));
 *   strata_document_free(document);
 *
 * Nothing is printed, no signal handler is installed, and the process never exits: what the program
 * would print is part of the document. Any number of threads may call at the same time; one
 * document is for one thread at a time. All texts are UTF-8. Nothing is thrown: where memory runs
 * out, that is an error like any other. docs/c.md says more. */
#ifndef STRATA_C_H
#define STRATA_C_H

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): C has no other way. */
#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define STRATA_C_EXPORT __attribute__((visibility("default")))
#else
#define STRATA_C_EXPORT
#endif

/* Grows when something is added. What is there stays as it is until strata_abi() / 1000 grows. */
#define STRATA_C_ABI 3

/* What the library was compiled as, to be compared with STRATA_C_ABI; and its version, "0.2.0". */
STRATA_C_EXPORT int strata_abi(void);
STRATA_C_EXPORT const char* strata_version(void);

/* The exit codes of the program, which strata_run() returns. */
enum strata_code {
  STRATA_CODE_FINE = 0,
  STRATA_CODE_FAILED = 1,       /* a model that cannot be read, memory that ran out, … */
  STRATA_CODE_USAGE = 2,        /* the words are wrong */
  STRATA_CODE_BUDGET = 3,       /* a limit that was given is not kept; the document is there */
  STRATA_CODE_BUG = 70,         /* please report it */
  STRATA_CODE_INTERRUPTED = 130 /* the caller wanted it to stop; the document has what there was */
};

typedef struct strata_document strata_document;

/* A wish to stop, which any thread may set, also while a command runs; it stays set. A `progress`
 * that wants to stop sets it, too. */
typedef struct strata_stop strata_stop;
STRATA_C_EXPORT strata_stop* strata_stop_new(void); /* NULL: there is no memory */
STRATA_C_EXPORT void strata_stop_set(strata_stop* stop);
STRATA_C_EXPORT void strata_stop_free(strata_stop* stop);

/* A file in memory: the word "memory:NAME" names it wherever a command reads a model or a
 * document. The bytes are copied, unless the call says that they stay. */
typedef struct strata_file {
  const char* name;
  const void* bytes;
  size_t size;
} strata_file;

/* Members that are left out of an initializer are 0 or NULL, and may all be. */
typedef struct strata_call {
  size_t size;              /* sizeof(strata_call) */
  const char* const* words; /* without the program's name: "stat", "model.onnx", "--batch", "4" */
  size_t word_count;
  const strata_file* files;
  size_t file_count;
  /* Long commands say how far they are: the stage, and a share of it from 0 to 1. What is not 0 as
   * an answer is the wish to stop. */
  int (*progress)(void* user, const char* stage, double share);
  void (*note)(void* user, const char* sentence); /* at once; the document has all of them */
  void* user;
  strata_stop* stop;
  int files_stay; /* not 0: the files' bytes stay as they are until the document is freed, and are
                   * not copied */
  const char* caller; /* whose words advice is in: "python" names keyword arguments; NULL: options
                       * of the program */
  /* In the place of words: a command and its options as JSON, which data/schemas/request.json
   * describes: {"command": "stat", "options": {"model": "model.onnx", "--batch": 4}} */
  const char* request;
} strata_call;

/* Runs a command. Returns its exit code, and sets `document`, also for an error, to one that has to
 * be freed; to NULL only if there is no memory even for that. */
STRATA_C_EXPORT int strata_run(const strata_call* call, strata_document** document);

/* For a program that was started as a worker of an engine of its own (STRATA_ENGINE_PROGRAMS,
 * docs/environment.md): answers what is asked on the socket, which is STRATA_WORKER_SOCKET, until
 * it is closed. `engine` is as in strata/engine/plugin.h, and has to stay. Returns the program's
 * exit code. */
struct StrataEngine;
#define STRATA_WORKER_SOCKET 3
STRATA_C_EXPORT int strata_worker(int socket, const struct StrataEngine* engine);

/* A document from the JSON that strata_document_json(), or the program with --format json, made. */
STRATA_C_EXPORT int strata_read(const char* json, size_t size, strata_document** document);

STRATA_C_EXPORT void strata_document_free(strata_document* document);

/* Texts below end with a 0 that their size does not count, and live as long as the document. */

/* "profile", "bench", "diff", …: the name of its schema. Empty: the command printed a text, or
 * nothing. */
STRATA_C_EXPORT const char* strata_document_kind(const strata_document* document);
/* Why the code is not STRATA_CODE_FINE; empty if it is. */
STRATA_C_EXPORT const char* strata_document_error(const strata_document* document);
/* The same for programs, as docs/errors.md lists it: "open_input", "no_layer", …; "general" for
 * failures that have no code of their own; empty if there is no error. */
STRATA_C_EXPORT const char* strata_document_error_code(const strata_document* document);
/* What the error is about: "file", "model", "name", "given", "found", "wanted" or "detail", or the
 * "message" without advice. Empty if the error does not say. */
STRATA_C_EXPORT const char* strata_document_error_field(const strata_document* document,
                                                        const char* name);
/* Sentences that the program prints beside its results. */
STRATA_C_EXPORT size_t strata_document_note_count(const strata_document* document);
STRATA_C_EXPORT const char* strata_document_note(const strata_document* document, size_t number);
/* What the program prints for the words of the call, in the format of its --format. It is made when
 * it is asked for; so is the JSON. NULL: it could not be made, and strata_document_error() says
 * why. `size` may be NULL. */
STRATA_C_EXPORT const char* strata_document_text(strata_document* document, size_t* size);
STRATA_C_EXPORT const char* strata_document_json(strata_document* document, size_t* size);

/* The document in any format of --format: "table", "csv", "md", "html", "svg", "png", …. `options`
 * are words such as "--width", "100", "--exact", "--color", "always", "--chart", "macs",
 * "--with-paths"; or one text, the JSON of an object: {"--width": 100, "--exact": true}. Returns a
 * code as strata_run() does; the text lives until the next call of this function with this
 * document. */
STRATA_C_EXPORT int strata_render(strata_document* document, const char* format,
                                  const char* const* options, size_t option_count,
                                  const char** text, size_t* size);

/* Its tables, by number and by name: "layers", "total", …. */
STRATA_C_EXPORT size_t strata_document_table_count(const strata_document* document);
STRATA_C_EXPORT const char* strata_document_table_name(const strata_document* document,
                                                       size_t table);

/* Arrow's C data and stream interfaces, which Arrow says to copy, with its own names and guards. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif

/* A table as an Arrow stream, which the caller releases, also after the document: whole numbers are
 * int64, others float64, texts utf8, truths bool, shapes lists of lists of int64; what is unknown
 * is null. A formula is null in the column of numbers, and its text is in the column
 * "NAME.formula", which is there if any row has one. Titles and units are metadata of the columns.
 */
STRATA_C_EXPORT int strata_document_arrow(strata_document* document, size_t table,
                                          struct ArrowArrayStream* stream);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
