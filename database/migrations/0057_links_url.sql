-- The address that a server's links have, for the comparison with the others; empty: the server is of a release without LINKS_URL. And
-- the unknown hosts that it was asked for, as many as its log names.
alter table app.servers
  add column links_url text not null default '' check (length(links_url) <= 2048),
  add column unknown_hosts text[] not null default '{}'
    check (cardinality(unknown_hosts) <= 20 and octet_length(array_to_string(unknown_hosts, ' ')) <= 5300);
