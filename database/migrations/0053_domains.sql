-- Hosts of accounts for their links and bio pages. On the server's own host the key of a name is the name itself; on a domain it
-- is `{id of the domain}/{name}`, in every column that holds a name (docs/decisions/0009-the-key-of-a-name.md).

create table app.domains (
  id integer generated always as identity primary key,
  user_id uuid not null references auth.users on delete cascade,
  -- In lower case, punycode, without port and trailing dot.
  host text not null check (host ~ '^[a-z0-9_-]+(\.[a-z0-9_-]+)+$' and length(host) <= 253),
  -- Whether requests for the host get the links and pages of this domain.
  is_served boolean not null default false,
  created_at timestamptz not null default now()
);
create index domains_user_id on app.domains (user_id);
-- A host that nobody has proven blocks nobody.
create unique index domains_served on app.domains (host) where is_served;

alter table app.domains enable row level security, force row level security;
create policy owner_all on app.domains to hoplet_owner using (true) with check (true);

grant select on app.domains to hoplet_visits, hoplet_worker;

-- Each row meets the narrower rule from before, so none is read again.
alter table app.names drop constraint names_name_check,
  add constraint names_name_check check (name ~ '^([1-9][0-9]{0,9}/)?[a-z0-9_-]{1,64}$') not valid;
alter table app.shortened_urls drop constraint shortened_urls_short_code_check,
  add constraint shortened_urls_short_code_check
    check (short_code ~ '^([1-9][0-9]{0,9}/)?[a-z0-9_-]{3,50}$') not valid;
alter table app.bio_pages drop constraint bio_pages_slug_check,
  add constraint bio_pages_slug_check check (slug ~ '^([1-9][0-9]{0,9}/)?[a-z0-9_-]{1,50}$') not valid;
alter table app.missed_codes drop constraint missed_codes_code_check,
  add constraint missed_codes_code_check check (code ~ '^([1-9][0-9]{0,9}/)?[a-z0-9_-]{1,50}$') not valid;
alter table app.former_codes drop constraint former_codes_code_check,
  add constraint former_codes_code_check check (code ~ '^([1-9][0-9]{0,9}/)?[a-z0-9_-]{1,50}$') not valid;
alter table app.abuse_reports drop constraint abuse_reports_name_check,
  add constraint abuse_reports_name_check check (name ~ '^([1-9][0-9]{0,9}/)?[a-z0-9_-]{1,64}$') not valid;
