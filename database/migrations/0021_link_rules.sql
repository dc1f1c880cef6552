-- Rules of links: a row for each link that has any. domain/visits/rules.ts has their shape, and domain/visits/parse-rules.ts checks them; 64 KB
-- of JSON as programs write it are less than 128 KB as PostgreSQL prints it.
create table app.link_rules (
  link_id uuid primary key references app.shortened_urls on delete cascade,
  rules jsonb not null check (jsonb_typeof(rules) = 'array' and octet_length(rules::text) <= 131072)
);

alter table app.link_rules enable row level security, force row level security;
create policy owner_all on app.link_rules to hoplet_owner using (true) with check (true);
grant select on app.link_rules to hoplet_visits;
