-- Hosts to which an API key is limited; '' is the own host. Null: no limit.
alter table auth.api_keys add column domains text[]
  constraint api_keys_domains check (cardinality(domains) between 1 and 25 and octet_length(domains::text) <= 8192);
