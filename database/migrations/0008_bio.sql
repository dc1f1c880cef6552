-- Bio pages with their two lists.

create table app.bio_pages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique default app.current_user_id() references auth.users on delete cascade,
  slug text not null unique check (slug ~ '^[a-z0-9_-]{1,50}$'),
  title text not null check (length(btrim(title)) <= 200),
  description text check (length(description) <= 1000),
  popup_id uuid,
  theme_primary text not null default '262 83% 58%' check (app.is_hsl(theme_primary)),
  theme_background text not null default '0 0% 100%' check (app.is_hsl(theme_background)),
  theme_text text not null default '222 47% 11%' check (app.is_hsl(theme_text)),
  visit_count bigint not null default 0 check (visit_count >= 0),
  created_at timestamptz not null default now(),
  -- The looks are defined in domain/looks.ts; a test compares both lists.
  look text not null default 'plain' check (look in
    ('plain', 'editorial', 'bubble', 'terminal', 'poster', 'studio', 'notebook', 'gallery', 'sunrise')),
  -- Always a picture that was uploaded here, so that visitors ask no other host.
  avatar_url text check (avatar_url ~ '^/media/[0-9a-f]{64}\.webp$'),
  constraint bio_pages_title_visible check (app.is_visible(title)),
  constraint bio_pages_popup_of_owner foreign key (popup_id, user_id)
    references app.popups (id, user_id) on delete set null (popup_id)
) with (fillfactor = 85);
create index bio_pages_popup_id on app.bio_pages (popup_id) where popup_id is not null;
create index bio_pages_media_hash on app.bio_pages (app.media_hash(avatar_url)) where avatar_url is not null;

create table app.bio_links (
  id uuid primary key default gen_random_uuid(),
  bio_page_id uuid not null references app.bio_pages on delete cascade,
  title text not null check (length(btrim(title)) between 1 and 200),
  url text not null check (app.is_destination(url)),
  link_order integer not null default 0,
  click_count bigint not null default 0 check (click_count >= 0),
  is_visible boolean not null default true,
  constraint bio_links_title_visible check (app.is_visible(title))
);
create index bio_links_page on app.bio_links (bio_page_id, link_order);

create table app.bio_social_links (
  id uuid primary key default gen_random_uuid(),
  bio_page_id uuid not null references app.bio_pages on delete cascade,
  platform text not null check (length(platform) between 1 and 40),
  url text not null,
  display_order integer not null default 0,
  constraint bio_social_links_check
    check (app.is_destination(url) or (platform = 'email' and app.is_mail_address(url)))
);
create index bio_social_links_page on app.bio_social_links (bio_page_id, display_order);

-- Bio pages and their lists: the owner's, or the page that a visitor named. Visitors see nothing of what is blocked;
-- owners still see their own.
alter table app.bio_pages enable row level security, force row level security;
create policy owner_all on app.bio_pages to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.bio_pages to service_role;

grant select (id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, visit_count, user_id,
  look, avatar_url)
  on app.bio_pages to anon;

grant select, delete,
  insert (user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, look, avatar_url),
  update (user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, look, avatar_url)
  on app.bio_pages to authenticated;

grant select on app.bio_pages to hoplet_visits;

grant update (visit_count) on app.bio_pages to hoplet_visits;

-- The collector of unused images asks which ones pages show; a take-down empties them.
grant select (id, avatar_url), update (avatar_url) on app.bio_pages to hoplet_worker;

alter table app.bio_links enable row level security, force row level security;
create policy owner_all on app.bio_links to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.bio_links to service_role;

grant select (id, bio_page_id, title, url, link_order, click_count, is_visible) on app.bio_links to anon;

grant select, delete,
  insert (bio_page_id, title, url, link_order, is_visible),
  update (bio_page_id, title, url, link_order, is_visible)
  on app.bio_links to authenticated;

grant select on app.bio_links to hoplet_visits;

grant update (click_count) on app.bio_links to hoplet_visits;

alter table app.bio_social_links enable row level security, force row level security;
create policy owner_all on app.bio_social_links to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.bio_social_links to service_role;

grant select (id, bio_page_id, platform, url, display_order) on app.bio_social_links to anon;

grant select, delete, insert (bio_page_id, platform, url, display_order),
  update (bio_page_id, platform, url, display_order)
  on app.bio_social_links to authenticated;

grant select on app.bio_social_links to hoplet_visits;
