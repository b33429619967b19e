/* pq_late.c - libpq, loaded with the first connection to PostgreSQL: with LDAP and Kerberos, which
 * it brings along, it takes memory that a store in a file has no use for. */
#include <libpq-fe.h>

#include "base/late.h"

#define FUNCTIONS(X)                                                                     \
	X(PGconn *, NULL, PQconnectdb, (const char *info), (info))                       \
	X(PGconn *, NULL, PQconnectdbParams,                                             \
		(const char *const *names, const char *const *values, int expand),       \
		(names, values, expand))                                                 \
	X(void, , PQfinish, (PGconn * c), (c))                                           \
	X(ConnStatusType, CONNECTION_BAD, PQstatus, (const PGconn *c), (c))              \
	X(char *, (char *)(void *)"libpq is not installed", PQerrorMessage,              \
		(const PGconn *c), (c))                                                  \
	X(int, 0, PQserverVersion, (const PGconn *c), (c))                               \
	X(int, 0, PQbackendPID, (const PGconn *c), (c))                                  \
	X(int, -1, PQsocket, (const PGconn *c), (c))                                     \
	X(const char *, NULL, PQparameterStatus, (const PGconn *c, const char *name),    \
		(c, name))                                                               \
	X(int, -1, PQsetnonblocking, (PGconn * c, int on), (c, on))                      \
	X(int, -1, PQflush, (PGconn * c), (c))                                           \
	X(int, 0, PQconsumeInput, (PGconn * c), (c))                                     \
	X(int, 0, PQenterPipelineMode, (PGconn * c), (c))                                \
	X(int, 0, PQexitPipelineMode, (PGconn * c), (c))                                 \
	X(int, 0, PQpipelineSync, (PGconn * c), (c))                                     \
	X(PGnotify *, NULL, PQnotifies, (PGconn * c), (c))                               \
	X(PQnoticeReceiver, NULL, PQsetNoticeReceiver,                                   \
		(PGconn * c, PQnoticeReceiver fn, void *ctx), (c, fn, ctx))              \
	X(PGresult *, NULL, PQexec, (PGconn * c, const char *text), (c, text))           \
	X(int, 0, PQsendQueryParams,                                                     \
		(PGconn * c, const char *text, int len, const Oid *types,                \
			const char *const *values, const int *lengths,                   \
			const int *formats, int format),                                 \
		(c, text, len, types, values, lengths, formats, format))                 \
	X(int, 0, PQsendPrepare,                                                         \
		(PGconn * c, const char *name, const char *text, int len,                \
			const Oid *types),                                               \
		(c, name, text, len, types))                                             \
	X(int, 0, PQsendQueryPrepared,                                                   \
		(PGconn * c, const char *name, int len, const char *const *values,       \
			const int *lengths, const int *formats, int format),             \
		(c, name, len, values, lengths, formats, format))                        \
	X(PGresult *, NULL, PQgetResult, (PGconn * c), (c))                              \
	X(ExecStatusType, PGRES_FATAL_ERROR, PQresultStatus, (const PGresult *r), (r))   \
	X(char *, NULL, PQresultErrorField, (const PGresult *r, int field), (r, field))  \
	X(int, 0, PQntuples, (const PGresult *r), (r))                                   \
	X(int, 0, PQnfields, (const PGresult *r), (r))                                   \
	X(char *, NULL, PQgetvalue, (const PGresult *r, int row, int column),            \
		(r, row, column))                                                        \
	X(int, 0, PQgetlength, (const PGresult *r, int row, int column),                 \
		(r, row, column))                                                        \
	X(char *, NULL, PQcmdTuples, (PGresult * r), (r))                                \
	X(char *, NULL, PQcmdStatus, (PGresult * r), (r))                                \
	X(void, , PQclear, (PGresult * r), (r))                                          \
	X(void, , PQfreemem, (void *at), (at))

LATE_LIBRARY("libpq.so.5", FUNCTIONS)

FUNCTIONS(LATE_CALL)
