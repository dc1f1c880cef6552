-- How much of each journal segment has been applied: moved in the transaction that applies, so that a visit counts
-- once.
create table app.click_segments (
  segment_id uuid primary key,
  applied_bytes bigint not null default 0 check (applied_bytes >= 0),
  updated_at timestamptz not null default now(),
  -- Marks of sources in a stream have no file whose end could remove them.
  of_stream boolean not null default false
);

alter table app.click_segments enable row level security, force row level security;
create policy owner_all on app.click_segments to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.click_segments to hoplet_visits;

-- The visits to links that counted, by day in UTC. Counting them in app.click_events would read every visit of a month.
-- Each connection adds to a row of its own, so that visits do not wait for each other.
create table app.click_days (
  day date not null,
  slot integer not null,
  clicks bigint not null,
  primary key (day, slot)
);

alter table app.click_days enable row level security, force row level security;
create policy owner_all on app.click_days to hoplet_owner using (true) with check (true);

-- Every hit with its verdict, and the counts made of it by day and month. server/analytics/ says what the words mean;
-- hits are written by app.store_hits and read by app.count_hits, and by nothing else. Nothing here holds an
-- address.

-- Whose or what a hit is counted for. Hits name it by a short number, so that they stay small.
create table app.click_scopes (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('account', 'link', 'bio', 'bio_link', 'popup')),
  -- The id of the person, link, bio page, link of a bio page or popup. It stays when a link is deleted, for the
  -- account's sums.
  ref uuid not null unique,
  user_id uuid not null references auth.users on delete cascade
);
create index click_scopes_of_person on app.click_scopes (user_id);

-- What a hit came with, each distinct combination once. Row 0 is "nothing is known". A row is deleted when the last hit
-- that can name it has gone; used_on is at most a week behind.
create table app.click_clients (
  id integer generated always as identity primary key,
  device text not null, browser text not null, system text not null, language text not null, bot text not null,
  used_on date not null default app.today(),
  unique (device, browser, system, language, bot)
);

create table app.click_places (
  id integer generated always as identity primary key,
  country text not null, region text not null, city text not null,
  used_on date not null default app.today(),
  unique (country, region, city)
);

create table app.click_origins (
  id integer generated always as identity primary key,
  -- Host, and host with path, of the page that the visitor came from.
  referrer text not null, page text not null,
  utm_source text not null, utm_medium text not null, utm_campaign text not null, utm_term text not null,
    utm_content text not null,
  used_on date not null default app.today(),
  unique (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
);

insert into app.click_clients (id, device, browser, system, language, bot) overriding system value
  values (0, '', '', '', '', '');
insert into app.click_places (id, country, region, city) overriding system value values (0, '', '', '');
insert into app.click_origins (id, referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
  overriding system value values (0, '', '', '', '', '', '', '');

-- The days on which keyed hashes of visitors are made, a day ahead. Yesterday's key is deleted: no one can tell then
-- whose a hash was (docs/decisions/0080).
create table app.visitor_keys (
  day date primary key,
  key bytea not null check (length(key) = 32)
);

-- The browsers in which people used this server today: their hits on their own links are their own.
create table app.own_visitors (
  id bigint generated always as identity primary key,
  day date not null,
  visitor bigint not null,
  user_id uuid not null references auth.users on delete cascade,
  unique (user_id, day, visitor)
);

-- The columns are in the order that wastes no bytes. verdict: counted, repeat, own, head, (p)refetch as f, previewer,
-- (crawler as) bot, monitor, program as g; source: link, qr, bio, popup, api; both by their first letter. visitor is 0
-- where none is known.
create table app.click_events (
  at timestamptz not null,
  visitor bigint not null,
  scope integer not null,
  account integer not null,
  origin integer not null,
  place integer not null,
  client integer not null,
  verdict "char" not null check (verdict in ('c', 'r', 'o', 'h', 'f', 'p', 'b', 'm', 'g')),
  source "char" not null check (source in ('l', 'q', 'b', 'p', 'a'))
) partition by range (at);
create index click_events_by_scope on app.click_events (scope, (app.hour_of(at)));
create index click_events_by_account on app.click_events (account, (app.hour_of(at)));
create index click_events_by_time on app.click_events using brin (at) with (pages_per_range = 16, autosummarize = on);

-- What no month has room for: a server whose clock is wrong, or a journal from long ago.
create table app.click_events_other partition of app.click_events default;

-- What reports of large accounts are estimated from: the hits of one visitor in `rate`. Hits without a visitor go by
-- their time.
create table app.click_samples (like app.click_events, rate smallint not null) partition by list (rate);

create table app.click_samples_32 partition of app.click_samples for values in (32);

create table app.click_samples_512 partition of app.click_samples for values in (512);
create index click_samples_by_scope on app.click_samples (scope, (app.hour_of(at)));
create index click_samples_by_account on app.click_samples (account, (app.hour_of(at)));

-- Hits received, by account and UTC day: counted apart from the events, so that both can be compared.
create table app.click_account_days (
  account integer not null,
  day date not null,
  received bigint not null,
  primary key (account, day)
);
create index click_account_days_by_day on app.click_account_days (day);

-- Counts of a day or a month in the account's time zone, one row for each value of each dimension; dimension 'total'
-- has the value ''. A scope without a row 'total' for a day has only events for it: few, or too new.
create table app.click_rollups (
  scope integer not null references app.click_scopes on delete cascade,
  grain "char" not null check (grain in ('d', 'm')),
  dimension text collate "C" not null,
  day date not null,
  value text collate "C" not null,
  counted integer not null,
  repeats integer not null,
  own integer not null,
  bots integer not null,
  visitors integer not null,
  primary key (scope, grain, dimension, day, value)
);

-- Accounts that were deleted, until their hits are; and popups.
create table app.click_erasures (account integer primary key);

-- What happened to the counting, for the integrity card: clocks that were set, journals that were replayed.
create table app.click_incidents (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  kind text not null check (kind in ('clock', 'replay', 'sources')),
  seconds integer not null,
  -- Whose new sources of a day are used up.
  account integer,
  check ((kind = 'sources') = (account is not null))
);
create index click_incidents_by_time on app.click_incidents (at);

alter table app.click_scopes enable row level security, force row level security;
create policy owner_all on app.click_scopes to hoplet_owner using (true) with check (true);
alter table app.click_clients enable row level security, force row level security;
create policy owner_all on app.click_clients to hoplet_owner using (true) with check (true);
alter table app.click_places enable row level security, force row level security;
create policy owner_all on app.click_places to hoplet_owner using (true) with check (true);
alter table app.click_origins enable row level security, force row level security;
create policy owner_all on app.click_origins to hoplet_owner using (true) with check (true);
alter table app.visitor_keys enable row level security, force row level security;
create policy owner_all on app.visitor_keys to hoplet_owner using (true) with check (true);
alter table app.own_visitors enable row level security, force row level security;
create policy owner_all on app.own_visitors to hoplet_owner using (true) with check (true);
alter table app.click_events enable row level security, force row level security;
create policy owner_all on app.click_events to hoplet_owner using (true) with check (true);
alter table app.click_events_other enable row level security, force row level security;
create policy owner_all on app.click_events_other to hoplet_owner using (true) with check (true);
alter table app.click_samples enable row level security, force row level security;
create policy owner_all on app.click_samples to hoplet_owner using (true) with check (true);
alter table app.click_samples_32 enable row level security, force row level security;
create policy owner_all on app.click_samples_32 to hoplet_owner using (true) with check (true);
alter table app.click_samples_512 enable row level security, force row level security;
create policy owner_all on app.click_samples_512 to hoplet_owner using (true) with check (true);
alter table app.click_account_days enable row level security, force row level security;
create policy owner_all on app.click_account_days to hoplet_owner using (true) with check (true);
alter table app.click_rollups enable row level security, force row level security;
create policy owner_all on app.click_rollups to hoplet_owner using (true) with check (true);
alter table app.click_erasures enable row level security, force row level security;
create policy owner_all on app.click_erasures to hoplet_owner using (true) with check (true);
alter table app.click_incidents enable row level security, force row level security;
create policy owner_all on app.click_incidents to hoplet_owner using (true) with check (true);

grant select on app.own_visitors, app.click_events, app.click_scopes to hoplet_visits;

grant insert on app.own_visitors, app.click_incidents to hoplet_visits;

-- What visitors do with popups: shown, closed and how, clicked, e-mail given, went on, left. The visitor's page tells
-- it (public-pages/popup-beacon.ts), the journal keeps it, app.store_popup_events writes it, api.popup_report reads it.
-- It moves no counter of clicks.

-- The columns are in the order that wastes no bytes. action: shown, closed by the (b)utton, the bac(k)drop, (e)scape or
-- 'no thanks', clicked, e(m)ailed, reached, left. verdict as in app.click_events. surface: the link or bio page that
-- showed the popup.
create table app.popup_events (
  at timestamptz not null,
  visitor bigint not null,
  popup integer not null,
  surface integer not null,
  account integer not null,
  action "char" not null check (action in ('s', 'b', 'k', 'e', 'n', 'c', 'm', 'r', 'l')),
  verdict "char" not null check (verdict in ('c', 'r', 'o', 'h', 'f', 'p', 'b', 'm', 'g'))
) partition by range (at);
create index popup_events_by_popup on app.popup_events (popup, (app.hour_of(at)));
create index popup_events_by_time on app.popup_events using brin (at) with (pages_per_range = 16);

create table app.popup_events_other partition of app.popup_events default;

alter table app.popup_events enable row level security, force row level security;
create policy owner_all on app.popup_events to hoplet_owner using (true) with check (true);
alter table app.popup_events_other enable row level security, force row level security;
create policy owner_all on app.popup_events_other to hoplet_owner using (true) with check (true);

grant select on app.popup_events to hoplet_visits;

-- Emails about clicks, for those who want them: milestones of links, and a summary of each week.

create table app.click_mails (
  user_id uuid primary key references auth.users on delete cascade,
  milestones boolean not null default false,
  weekly boolean not null default false
);

alter table app.click_mails enable row level security, force row level security;
create policy owner_all on app.click_mails to hoplet_owner using (true) with check (true);

-- Makes the partitions of the months from one day to another. Hits that waited in the default partition move. The
-- events of popups have the same months.
create function app.make_click_months(_from date, _to date) returns void
language plpgsql security definer set search_path = '' as $$
declare
  events text;
  month date;
  name text;
  range text;
begin
  for events, month in
    select e, m::date from unnest('{click_events,popup_events}'::text[]) e,
      generate_series(date_trunc('month', _from::timestamp), _to::timestamp, interval '1 month') m
    where to_regclass('app.' || e) is not null
  loop
    name := events || '_' || to_char(month, 'YYYY_MM');
    continue when to_regclass('app.' || name) is not null;
    range := format('at >= %L and at < %L', month || ' 00:00Z', (month + interval '1 month')::date || ' 00:00Z');
    execute format('create table app.%I (like app.%I including constraints)', name, events);
    execute format('with moved as (delete from app.%I where %s returning *) insert into app.%I select * from moved',
      events || '_other', range, name);
    execute format('alter table app.%I enable row level security', name);
    execute format('alter table app.%I force row level security', name);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', name);
    execute format('alter table app.%I attach partition app.%I for values from (%L) to (%L)',
      events, name, month || ' 00:00Z', (month + interval '1 month')::date || ' 00:00Z');
  end loop;
end $$;

grant execute on function app.make_click_months(date, date) to hoplet_worker;
