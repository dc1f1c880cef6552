-- Checks of the destinations of links (CHECK_LINKS): a row per account and distinct address that was checked. The
-- address itself is in the links.
create table app.destination_checks (
  user_id uuid not null references auth.users on delete cascade,
  address_hash bytea not null check (octet_length(address_hash) = 32),
  checked_at timestamptz not null,
  finding text constraint destination_checks_finding check (finding in ('dead', 'moved', 'certificate')),
  -- For example 404, name, timeout or expired.
  reason text check (length(reason) <= 20),
  -- When the finding began; without one, the first failed check of a destination that may be dead.
  since timestamptz,
  -- Where a destination moved for good.
  new_url text check (length(new_url) <= 2048),
  -- When the owner asked for a check, and with which link.
  asked_at timestamptz,
  asked_link uuid,
  primary key (user_id, address_hash),
  constraint destination_checks_moved check ((new_url is not null) = (finding is not distinct from 'moved'))
);
create index destination_checks_of_account on app.destination_checks (user_id, checked_at);
create index destination_checks_found on app.destination_checks (user_id) where finding is not null;
create index destination_checks_asked on app.destination_checks (asked_at) where asked_at > checked_at;
create index destination_checks_by_time on app.destination_checks (checked_at);

alter table app.destination_checks enable row level security, force row level security;
create policy owner_all on app.destination_checks to hoplet_owner using (true) with check (true);
grant select, delete on app.destination_checks to hoplet_worker;

-- A weekly email about findings.
alter table app.click_mails add column health boolean not null default false;
