/* statements_notes.h - statements about the notes of agents, and about the rows of words by which they are found
 * (desk/run/memory_index.c); as in statements.h. */
/* $2 the id to go on before, $4 scope, $5 agent, $6 session, $7 pattern */
STATEMENT(SQL_MEMORY_LIST, "SELECT @memories FROM memories WHERE ws = $1 AND id < $2"
			   " AND ($4 = '' OR scope = $4) AND ($5 = '' OR agent = $5)"
			   " AND ($6 = '' OR session = $6)"
			   " AND ($7 = '' OR search LIKE $7 ESCAPE '\\')"
			   " ORDER BY id DESC LIMIT $3")

STATEMENT(SQL_MEMORY_LAST, "SELECT MAX(n) FROM memories WHERE ws = $1")
STATEMENT(SQL_MEMORY_NUMBERED, "SELECT @memories FROM memories WHERE ws = $1 AND n = $2")
STATEMENT(SQL_MEMORY_OF_SESSION, "SELECT @memories FROM memories WHERE ws = $1"
				 " AND session = $2 AND session <> ''")
STATEMENT(SQL_MEMORY_WORDS, "SELECT word, block, marks FROM memory_words"
			    " WHERE ws = $1 AND word >= $2 AND word <= $3")
STATEMENT(SQL_MEMORY_WORD_ADD,
	"INSERT INTO memory_words (ws, word, block, marks) VALUES ($1, $2, $3, $4)"
	" ON CONFLICT (ws, word, block) DO UPDATE"
	" SET marks = memory_words.marks || excluded.marks")
/* One of several, and the only one. */
STATEMENT(SQL_MEMORY_WORD_CUT, "UPDATE memory_words SET marks = REPLACE(marks, $4, '')"
			       " WHERE ws = $1 AND word = $2 AND block = $3")
STATEMENT(SQL_MEMORY_WORD_END,
	"DELETE FROM memory_words"
	" WHERE ws = $1 AND word = $2 AND block = $3 AND marks = $4")
/* Of a store that is brought up: the next notes in their order, and the number of one. */
STATEMENT(SQL_MEMORY_OLD, "SELECT ws, id, text, tags FROM memories"
			  " WHERE (ws, id) > ($1, $2) ORDER BY ws, id LIMIT $3")
STATEMENT(SQL_MEMORY_NUMBER, "UPDATE memories SET n = $3 WHERE ws = $1 AND id = $2")
