-- Options of links, their tags, and saved UTM templates. The rules for addresses, and for values that cost more to check
-- than to count a click, are in triggers (database/code/07_links.sql).
alter table app.shortened_urls
  -- Empty: screens show the host of the destination.
  add title text check (length(title) <= 200),
  -- For the owner only.
  add note text check (length(note) <= 2000),
  -- Names from app.tags, in the spelling that is there.
  add tags text[] not null default '{}',
  -- Hidden in the app's list; it redirects as before.
  add archived_at timestamptz,
  add starts_at timestamptz,
  add ends_at timestamptz,
  add max_clicks bigint check (max_clicks between 1 and 1000000000),
  -- Where visitors go before the start and after the end.
  add fallback_url text,
  -- Written only: a hash travels through it to password_hash, and it reads as null.
  add password text,
  add password_hash text,
  -- New with each password, null without one. Cookies of visitors name it.
  add password_version uuid,
  -- 'none', 'all', or names of parameters with commas between them.
  add forward_query text not null default 'none'
    check (forward_query in ('none', 'all')
      or forward_query ~ '^[A-Za-z0-9_.~*\[\]-]{1,100}(,[A-Za-z0-9_.~*\[\]-]{1,100}){0,49}$'),
  -- Whether a parameter of the visit replaces one that the destination has.
  add forward_overrides boolean not null default false,
  add redirect_status smallint not null default 302 check (redirect_status in (301, 302, 307, 308)),
  -- For link previewers.
  add preview_title text check (length(preview_title) <= 200),
  add preview_description text check (length(preview_description) <= 500),
  add preview_image_url text,
  -- Whether /{code}+ shows where the link leads.
  add show_preview_page boolean not null default true,
  -- Of its rules; 0 without any.
  add rules_version integer not null default 0,
  add constraint shortened_urls_dates check (ends_at > starts_at);

grant select (title, note, tags, archived_at, starts_at, ends_at, max_clicks, fallback_url, password, password_version,
  forward_query, forward_overrides, redirect_status, preview_title, preview_description, preview_image_url,
  show_preview_page, rules_version) on app.shortened_urls to anon;

grant
  insert (title, note, tags, archived_at, starts_at, ends_at, max_clicks, fallback_url, password, forward_query,
    forward_overrides, redirect_status, preview_title, preview_description, preview_image_url, show_preview_page),
  update (title, note, tags, archived_at, starts_at, ends_at, max_clicks, fallback_url, password, forward_query,
    forward_overrides, redirect_status, preview_title, preview_description, preview_image_url, show_preview_page)
  on app.shortened_urls to authenticated;

create index shortened_urls_archived on app.shortened_urls (user_id, created_at desc, id desc)
  where archived_at is not null;

-- Titles are searched too.
drop index if exists app.shortened_urls_search;
do $$
begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm')
    and exists (select 1 from pg_extension where extname = 'btree_gin') then
    create index shortened_urls_search on app.shortened_urls using gin (user_id extensions.uuid_ops,
      (short_code || E'\n' || original_url || E'\n' || coalesce(title, '')) extensions.gin_trgm_ops);
    create index shortened_urls_tags on app.shortened_urls using gin (user_id extensions.uuid_ops, tags)
      where tags <> '{}';
  else
    create index shortened_urls_tags on app.shortened_urls using gin (tags) where tags <> '{}';
  end if;
end $$;

create table app.tags (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  name text not null,
  color text not null default '' check (app.is_hex_color(color)),
  created_at timestamptz not null default now(),
  constraint tags_name_check check (length(name) between 1 and 40 and name !~ '[[:cntrl:],]' and name = btrim(name)),
  constraint tags_name_visible check (app.is_visible(name))
);
create unique index tags_name_key on app.tags (user_id, lower(name));

alter table app.tags enable row level security, force row level security;
create policy owner_all on app.tags to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.tags to service_role;
grant select, delete, insert (user_id, name, color), update (user_id, name, color) on app.tags to authenticated;

-- Campaigns that an owner uses again.
create table app.utm_templates (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  name text not null check (length(btrim(name)) between 1 and 100),
  utm_source text not null default '' check (length(utm_source) <= 200),
  utm_medium text not null default '' check (length(utm_medium) <= 200),
  utm_campaign text not null default '' check (length(utm_campaign) <= 200),
  utm_term text not null default '' check (length(utm_term) <= 200),
  utm_content text not null default '' check (length(utm_content) <= 200),
  created_at timestamptz not null default now()
);
create unique index utm_templates_name_key on app.utm_templates (user_id, lower(name));

alter table app.utm_templates enable row level security, force row level security;
create policy owner_all on app.utm_templates to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.utm_templates to service_role;
grant select, delete,
  insert (user_id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content),
  update (user_id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
  on app.utm_templates to authenticated;

-- Pages of a link that are no click: pas(s)word, pre(v)iew page, not (y)et, ended (x). The earlier CHECKs allowed less,
-- so the rows that exist need no look.
alter table app.click_events drop constraint click_events_verdict_check,
  add constraint click_events_verdict_check
    check (verdict in ('c', 'r', 'o', 'h', 'f', 'p', 'b', 'm', 'g', 's', 'v', 'y', 'x')) not valid;
