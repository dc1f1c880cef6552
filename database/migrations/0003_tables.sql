-- The entities of the specification, §3, and the tables that their rules need.

create function app.is_destination(url text) returns boolean
language sql immutable set search_path = '' as $$
  -- Absolute http or https, printable ASCII, no user information, no backslash, at most 2,048 characters.
  select length(url) <= 2048
    and url ~* '^https?://(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)(:[0-9]{1,5})?([/?#][!-\[\]-~]*)?$'
$$;

create function app.is_hsl(colour text) returns boolean
language sql immutable set search_path = '' as $$
  select colour ~ '^[0-9]{1,3}(\.[0-9]{1,4})? [0-9]{1,3}(\.[0-9]{1,4})?% [0-9]{1,3}(\.[0-9]{1,4})?%$'
$$;

create function app.is_hex_colour(colour text) returns boolean
language sql immutable set search_path = '' as $$ select colour ~ '^#[0-9a-fA-F]{6}$' $$;

create table app.profiles (
  id uuid primary key references auth.users on delete cascade,
  email text,
  display_name text check (length(display_name) <= 100),
  created_at timestamptz not null default now()
);
create index profiles_created_at on app.profiles (created_at desc, id desc);

create table app.user_plans (
  user_id uuid primary key references auth.users on delete cascade,
  plan_type text not null default 'free' check (plan_type in ('free', 'pro', 'business'))
);

create table app.user_roles (
  user_id uuid primary key references auth.users on delete cascade,
  role text not null default 'user' check (role in ('user', 'admin')),
  unique (user_id, role)
);
create index user_roles_admins on app.user_roles (user_id) where role = 'admin';

create table app.user_usage (
  user_id uuid primary key references auth.users on delete cascade,
  total_custom_codes integer not null default 0 check (total_custom_codes >= 0),
  total_shortened_urls integer not null default 0 check (total_shortened_urls >= 0),
  daily_custom_codes integer not null default 0 check (daily_custom_codes >= 0),
  daily_shortened_urls integer not null default 0 check (daily_shortened_urls >= 0),
  daily_qr_codes integer not null default 0 check (daily_qr_codes >= 0),
  -- The UTC day of the three daily counters; on another day they count as 0.
  day date not null default (now() at time zone 'utc')::date
) with (fillfactor = 80);

-- One namespace for /{code}: links, bio slugs, reserved words. A released name stays with its owner for 30 days.
create table app.names (
  name text primary key check (name ~ '^[a-z0-9_-]{1,64}$'),
  kind text not null check (kind in ('link', 'bio', 'reserved')),
  owner_id uuid references auth.users on delete set null,
  released_at timestamptz
);
create index names_owner_id on app.names (owner_id);

-- The hosts that this server answers to: no link may lead back here. Written at each start from PUBLIC_URL.
create table app.own_hosts (host text primary key check (host = lower(host)));

create table app.popups (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  title text not null check (length(btrim(title)) between 1 and 200),
  description text check (length(description) <= 500),
  cta_text text not null default 'Get Started' check (length(btrim(cta_text)) between 1 and 50),
  cta_url text check (cta_url = '' or app.is_destination(cta_url)),
  image_url text check (image_url = '' or image_url ~ '^/media/[A-Za-z0-9._/-]{1,200}$' or app.is_destination(image_url)),
  background_color text not null default '#ffffff' check (app.is_hex_colour(background_color)),
  text_color text not null default '#1a1a1a' check (app.is_hex_colour(text_color)),
  button_color text not null default '#3b82f6' check (app.is_hex_colour(button_color)),
  button_text_color text not null default '#ffffff' check (app.is_hex_colour(button_text_color)),
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
  unique (id, user_id)
);
create index popups_user_id on app.popups (user_id, created_at desc, id desc);

create table app.shortened_urls (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  short_code text not null unique check (short_code ~ '^[a-z0-9_-]{3,50}$'),
  original_url text not null,
  show_popup boolean not null default false,
  popup_id uuid,
  click_count bigint not null default 0 check (click_count >= 0),
  -- Chosen by a client, not made by the database; decided by the insert trigger, never by the client.
  is_custom boolean not null default false,
  created_at timestamptz not null default now(),
  constraint shortened_urls_destination check (app.is_destination(original_url)),
  constraint shortened_urls_popup_chosen check (not show_popup or popup_id is not null),
  -- Two columns, so that a link can only carry a popup of its own owner, through every door and role.
  constraint shortened_urls_popup_of_owner foreign key (popup_id, user_id)
    references app.popups (id, user_id) on delete set null (popup_id)
) with (fillfactor = 85);
create index shortened_urls_newest on app.shortened_urls (user_id, created_at desc, id desc);
create index shortened_urls_popup_id on app.shortened_urls (popup_id) where popup_id is not null;

create table app.bio_pages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique default app.current_user_id() references auth.users on delete cascade,
  slug text not null unique check (slug ~ '^[a-z0-9_-]{1,50}$'),
  title text not null check (length(btrim(title)) between 1 and 200),
  description text check (length(description) <= 1000),
  popup_id uuid,
  theme_primary text not null default '262 83% 58%' check (app.is_hsl(theme_primary)),
  theme_background text not null default '0 0% 100%' check (app.is_hsl(theme_background)),
  theme_text text not null default '222 47% 11%' check (app.is_hsl(theme_text)),
  visit_count bigint not null default 0 check (visit_count >= 0),
  created_at timestamptz not null default now(),
  constraint bio_pages_popup_of_owner foreign key (popup_id, user_id)
    references app.popups (id, user_id) on delete set null (popup_id)
) with (fillfactor = 85);
create index bio_pages_popup_id on app.bio_pages (popup_id) where popup_id is not null;

create table app.bio_links (
  id uuid primary key default gen_random_uuid(),
  bio_page_id uuid not null references app.bio_pages on delete cascade,
  title text not null check (length(btrim(title)) between 1 and 200),
  url text not null check (app.is_destination(url)),
  link_order integer not null default 0,
  click_count bigint not null default 0 check (click_count >= 0)
);
create index bio_links_page on app.bio_links (bio_page_id, link_order);

create table app.bio_social_links (
  id uuid primary key default gen_random_uuid(),
  bio_page_id uuid not null references app.bio_pages on delete cascade,
  platform text not null check (length(platform) between 1 and 40),
  url text not null check (
    app.is_destination(url)
    or (platform = 'email' and url ~* '^mailto:[!-;=?A-Z\[\]_a-z{|}~]+@[a-z0-9.-]+$' and length(url) <= 320)
  ),
  display_order integer not null default 0
);
create index bio_social_links_page on app.bio_social_links (bio_page_id, display_order);

create table app.affiliate_codes (
  user_id uuid primary key default app.current_user_id() references auth.users on delete cascade,
  code text not null unique check (code ~ '^[A-Z0-9]{8}$'),
  total_referrals integer not null default 0 check (total_referrals >= 0),
  total_earnings_cents bigint not null default 0
);

-- One referrer a user, set once, always the older account: so no cycle and no self-referral can exist.
create table app.referrals (
  referred_user_id uuid primary key references auth.users on delete cascade,
  referrer_user_id uuid not null references auth.users on delete cascade,
  created_at timestamptz not null default now(),
  check (referred_user_id <> referrer_user_id)
);
create index referrals_referrer on app.referrals (referrer_user_id);

-- An append-only ledger in cents. It outlives the accounts it speaks of, so its user ids are no foreign keys.
create table app.commissions (
  id uuid primary key default gen_random_uuid(),
  affiliate_user_id uuid not null,
  amount_cents bigint not null,
  tier smallint not null check (tier in (1, 2)),
  status text not null default 'pending',
  created_at timestamptz not null default now()
);
create index commissions_newest on app.commissions (affiliate_user_id, created_at desc, id desc);

-- One row a visit. `target_id` is the link or the bio page; it is no foreign key, so that a visit to a link
-- deleted a moment ago does not stop the batch it came in.
create table app.click_events (
  id bigint generated always as identity primary key,
  target_id uuid not null,
  kind text not null check (kind in ('link', 'bio')),
  at timestamptz not null,
  verdict text not null check (verdict in ('counted', 'head', 'prefetch', 'bot')),
  referrer text check (length(referrer) <= 512),
  user_agent text check (length(user_agent) <= 512)
);
create index click_events_target on app.click_events (target_id, at desc);

-- How much of each journal segment has been applied: moved in the transaction that applies, so a visit counts once.
create table app.click_segments (
  segment_id uuid primary key,
  applied_bytes bigint not null default 0 check (applied_bytes >= 0),
  updated_at timestamptz not null default now()
);
