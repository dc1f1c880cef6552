-- Popups, and the images that people upload for them.

create table app.popups (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  title text not null,
  description text check (length(description) <= 500),
  cta_text text not null default 'Get Started',
  cta_url text check (cta_url = '' or app.is_destination(cta_url)),
  image_url text check (image_url = '' or app.is_image_address(image_url)),
  background_color text not null default '#ffffff' check (app.is_hex_color(background_color)),
  text_color text not null default '#1a1a1a' check (app.is_hex_color(text_color)),
  button_color text not null default '#3b82f6' check (app.is_hex_color(button_color)),
  button_text_color text not null default '#ffffff' check (app.is_hex_color(button_text_color)),
  position text not null default 'center'
    check (position in ('center', 'top', 'bottom', 'bottom-right', 'bottom-left')),
  trigger_delay double precision not null default 3 check (trigger_delay between 0 and 10),
  trigger_delay_enabled boolean not null default false,
  collect_email boolean not null default false,
  size_preset text not null default 'medium'
    check (size_preset in ('small', 'medium', 'large', 'extra-large', 'full-width', 'compact', 'tall')),
  is_active boolean not null default true,
  border_radius integer not null default 16 check (border_radius between 0 and 24),
  font_style text not null default 'modern' check (font_style in ('casual', 'professional', 'modern', 'elegant')),
  shadow_style text not null default 'medium' check (shadow_style in ('none', 'soft', 'medium', 'bold')),
  created_at timestamptz not null default now(),
  unique (id, user_id),
  constraint popups_title_check check (length(btrim(title)) <= 200),
  constraint popups_title_visible check (app.is_visible(title)),
  constraint popups_cta_text_check check (length(btrim(cta_text)) <= 50),
  constraint popups_cta_text_visible check (app.is_visible(cta_text)),
  -- What visitors type travels to this address.
  constraint popups_email_over_https check (not collect_email or starts_with(coalesce(cta_url, ''), 'https://'))
);
create index popups_user_id on app.popups (user_id, created_at desc, id desc);
create index popups_media_hash on app.popups (app.media_hash(image_url)) where app.media_hash(image_url) is not null;

-- Popups: the owner's, or the one active popup that a visitor's page named. Visitors see nothing of what is blocked;
-- owners still see their own. (A view that runs with the rights of the caller needs them on every column that it
-- mentions; which columns each role really sees is granted on the view (database/code). No API role can name a table of `app`:
-- they have no USAGE on it.)
alter table app.popups enable row level security, force row level security;
create policy owner_all on app.popups to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.popups to service_role;

grant select (id, user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
  button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
  border_radius, font_style, shadow_style, created_at) on app.popups to anon;

-- An update may name the owner, as clients that send whole rows do; the policy refuses any other.
grant select, delete,
  insert (user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style),
  update (user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style)
  on app.popups to authenticated;

grant select on app.popups to hoplet_visits;

-- The collector of unused images asks which ones popups show; a take-down empties them.
grant select (id, image_url), update (image_url) on app.popups to hoplet_worker;

-- Stored images by the hash of their bytes. Two people with the same image have a row each and share the bytes.
-- The rows of a deleted account stay without an owner until the collector has removed the bytes.
create table app.media (
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  owner_id uuid references auth.users on delete set null,
  bytes integer not null check (bytes > 0),
  created_at timestamptz not null default now(),
  -- Since when no popup shows it; null while one does. Kept by the collector (server/media/media-rows.ts).
  unused_since timestamptz default now(),
  unique (hash, owner_id)
);
create index media_owner on app.media (owner_id, created_at);

-- Images that an admin took down: the same bytes are not stored again.
create table app.media_blocks (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  blocked_at timestamptz not null default now()
);

-- Who stores or removes the bytes of an image right now, so that two servers never do so at once and no transaction
-- stays open meanwhile. An expired lease was left by a failure: without a row in app.media its bytes are removed.
create table app.media_leases (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  lease_id uuid not null,
  leased_until timestamptz not null
);

-- All three belong to the background role of the server: no API role can read or write them.
alter table app.media enable row level security, force row level security;
create policy owner_all on app.media to hoplet_owner using (true) with check (true);
alter table app.media_blocks enable row level security, force row level security;
create policy owner_all on app.media_blocks to hoplet_owner using (true) with check (true);
alter table app.media_leases enable row level security, force row level security;
create policy owner_all on app.media_leases to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.media, app.media_blocks, app.media_leases to hoplet_worker;
