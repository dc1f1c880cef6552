-- Placements of links: one link, many prints ("table 4", "window"). Each has a mark, which follows the code in the address of its
-- QR code, `/q/{code}/{mark}`, and may have a campaign, which replaces that of the destination.
create table app.placements (
  id uuid primary key default gen_random_uuid(),
  link_id uuid not null references app.shortened_urls on delete cascade on update cascade,
  user_id uuid not null references auth.users on delete cascade,
  name text not null constraint placements_name
    check (length(name) <= 80 and app.is_visible(name) and name !~ '[[:cntrl:]]'),
  mark text not null constraint placements_mark check (mark ~ '^[a-z0-9]{2,8}$'),
  utm_source text not null default '',
  utm_medium text not null default '',
  utm_campaign text not null default '',
  utm_term text not null default '',
  utm_content text not null default '',
  created_at timestamptz not null default now(),
  constraint placements_utm check (
    greatest(length(utm_source), length(utm_medium), length(utm_campaign), length(utm_term), length(utm_content)) <= 100
    and octet_length(utm_source || utm_medium || utm_campaign || utm_term || utm_content) <= 500),
  constraint placements_mark_key unique (link_id, mark)
);
create unique index placements_name_key on app.placements (link_id, lower(name));
create index placements_of_account on app.placements (user_id);
-- Each look-up of a visited name asks for them, and few links have any.
create index placements_with_utm on app.placements (link_id)
  where utm_source <> '' or utm_medium <> '' or utm_campaign <> '' or utm_term <> '' or utm_content <> '';

alter table app.placements enable row level security, force row level security;
create policy owner_all on app.placements to hoplet_owner using (true) with check (true);
grant select, delete, update (name, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
  on app.placements to authenticated, service_role;
grant select on app.placements to hoplet_visits;

-- How many marks of a link were drawn: none comes twice, because hits and prints outlive their placement.
create table app.placement_draws (
  link_id uuid primary key references app.shortened_urls on delete cascade on update cascade,
  drawn integer not null check (drawn between 0 and 10000000)
);
alter table app.placement_draws enable row level security, force row level security;
create policy owner_all on app.placement_draws to hoplet_owner using (true) with check (true);
