-- How often people used the AI functions, and which images are stored. Both belong to the server's own background
-- role: no API role can read or write them, and nothing in `api` shows them.

-- One row per person and UTC day. A call is reserved here before the provider hears of it (server/ai/usage.ts).
create table app.ai_usage (
  user_id uuid not null references auth.users on delete cascade,
  day date not null,
  used integer not null check (used >= 0),
  primary key (user_id, day)
) with (fillfactor = 80);

-- The same for everybody together: one row per day.
create table app.ai_days (
  day date primary key,
  used integer not null check (used >= 0)
) with (fillfactor = 50);

-- Stored images by the hash of their bytes. Two people with the same image have a row each and share the bytes.
-- The rows of a deleted account stay without an owner until the collector has removed the bytes.
create table app.media (
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  owner_id uuid references auth.users on delete set null,
  bytes integer not null check (bytes > 0),
  created_at timestamptz not null default now(),
  -- Since when no popup shows it; null while one does. Kept by the collector (server/media/collect.ts).
  unused_since timestamptz default now(),
  unique (hash, owner_id)
);
create index media_owner on app.media (owner_id, created_at);

-- Images that an admin took down: the same bytes are not stored again.
create table app.media_blocks (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  blocked_at timestamptz not null default now()
);

-- The hash in the address of a popup's image, whatever stands before it; null for images of other places.
create function app.media_hash(image_url text) returns text
language sql immutable set search_path = '' as $$
  select substring(image_url from '/media/([0-9a-f]{64})\.')
$$;
grant execute on function app.media_hash(text) to authenticated, service_role, hoplet_worker;
create index popups_media_hash on app.popups (app.media_hash(image_url)) where app.media_hash(image_url) is not null;

do $$
declare
  name text;
begin
  foreach name in array array['ai_usage', 'ai_days', 'media', 'media_blocks'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('alter table app.%I force row level security', name);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on app.%I to hoplet_worker', name);
    execute format('create policy worker_all on app.%I to hoplet_worker using (true) with check (true)', name);
  end loop;
end $$;

-- The collector asks which images popups show; a take-down empties them.
grant select (id, image_url), update (image_url) on app.popups to hoplet_worker;
create policy worker_read on app.popups for select to hoplet_worker using (true);
create policy worker_update on app.popups for update to hoplet_worker using (true) with check (true);
-- The checks of the row that is written.
grant execute on function app.is_destination(text), app.is_hex_colour(text) to hoplet_worker;

-- A reservation and a collection count days as every other quota does: UTC, by the database's clock.
grant execute on function app.today() to hoplet_worker;
