-- A mailed link that a browser asked for with PKCE is used up by that browser, and not by another one that opened the
-- mail: pressing it gives a code, which names the link and uses it up when it comes back with the verifier
-- (docs/decisions/0063-a-link-waits-for-its-browser.md). No foreign key: a code whose link is gone is refused, whatever
-- took the link, and a newer link takes the row of the older.
alter table auth.flow_states add column one_time_token_id uuid;
