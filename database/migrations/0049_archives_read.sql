-- Addresses that an account has erased: an archive does not bring them back.
create table app.erased_addresses (
  user_id uuid not null references auth.users on delete cascade,
  -- SHA-256 of the account and the address, so that nobody reads the address here.
  hash bytea not null,
  erased_at timestamptz not null default now(),
  primary key (user_id, hash)
);
create index erased_addresses_old on app.erased_addresses (erased_at);
alter table app.erased_addresses enable row level security, force row level security;
create policy owner_all on app.erased_addresses to hoplet_owner using (true) with check (true);
grant select, delete on app.erased_addresses to hoplet_worker;
-- Popups of an archive by their ids there.
create index import_rows_items on app.import_rows (import_id, (record ->> 'id')) where link ? 'kind';
