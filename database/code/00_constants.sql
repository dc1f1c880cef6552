-- Letters and figures by name, for more than one function. In standard form and immutable, so that PostgreSQL puts the
-- value itself into each plan; a test looks. CHECKs and partial indexes of migrations keep their letters.

-- The verdict of a hit: the letters of server/analytics/hits/verdicts.ts, which has all of them. Every other
-- letter is of a bot, of a page before the destination, or of an import.
create function app.is_counted(verdict "char") returns boolean language sql immutable parallel safe
return verdict = 'c';
create function app.is_repeat(verdict "char") returns boolean language sql immutable parallel safe
return verdict = 'r';
create function app.is_own(verdict "char") returns boolean language sql immutable parallel safe
return verdict = 'o';
create function app.is_of_person(verdict "char") returns boolean language sql immutable parallel safe
return verdict in ('c', 'r', 'o');

-- It came with an archive, and is no click.
create function app.is_imported(verdict "char") returns boolean language sql immutable parallel safe
return verdict = 'i';

-- Actions on a popup: an address was given. server/analytics/hits/popup-events.ts has all
-- letters.
create function app.is_emailed(action "char") returns boolean language sql immutable parallel safe
return action = 'm';

-- Without leading and trailing whitespace, as JavaScript's trim() has it, and without the characters that turn the order
-- of the letters around them (embeddings, overrides, isolates): a reader would see another text than programs. Letters
-- from right to left, their marks (U+200E, U+200F, U+061C) and joiners stay. Not a regular expression: its time grows
-- with the square of a long run of blanks.
create function app.trimmed(words text) returns text language sql immutable parallel safe
return btrim(translate(words, E'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069', ''), E' \t\n\u000b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009'
  || E'\u200a\u2028\u2029\u202f\u205f\u3000\ufeff');

-- How long the name of a deleted link or page that was visited is held for its owner.
create function app.name_hold() returns interval language sql immutable parallel safe
return interval '30 days';

-- Finished events of a webhook, and answers to repeated requests: the newest 5,000 and 4 MB are kept
-- (docs/data-growth.md). `place` counts from the newest, 1, and `bytes` adds up.
create function app.is_beyond_kept(place bigint, bytes numeric) returns boolean language sql immutable parallel safe
return place > 5000 or bytes > 4000000;
