-- Bio pages: a look, a picture of the owner, and links that are switched off.

-- The looks are defined in domain/looks.ts; a test compares both lists. A picture is always one that was uploaded here, so
-- that visitors ask no other host.
alter table app.bio_pages
  add column look text not null default 'plain' check (look in
    ('plain', 'editorial', 'bubble', 'terminal', 'poster', 'studio', 'notebook', 'gallery', 'sunrise')),
  add column avatar_url text check (avatar_url ~ '^/media/[0-9a-f]{64}\.webp$');
create index bio_pages_media_hash on app.bio_pages (app.media_hash(avatar_url)) where avatar_url is not null;

alter table app.bio_links add column is_visible boolean not null default true;

create or replace trigger notify
  after insert or delete or update of title, description, popup_id, theme_primary, theme_background, theme_text, look, avatar_url
  on app.bio_pages for each row execute function app.notify_bio_page();
create or replace trigger notify after insert or delete or update of title, url, link_order, is_visible on app.bio_links
  for each row execute function app.notify_bio_list();

grant select (look, avatar_url) on app.bio_pages to anon;
grant insert (look, avatar_url), update (look, avatar_url) on app.bio_pages to authenticated;
grant select (is_visible) on app.bio_links to anon;
grant insert (is_visible), update (is_visible) on app.bio_links to authenticated;

-- A link that is switched off exists for its owner only.
alter policy look_up on app.bio_links
  using (bio_page_id::text = (select app.lookup_key('bio_links')) and is_visible and not app.is_blocked_page(bio_page_id)
    and app.block_of(null, null, url) is null);
alter policy own_or_look_up on app.bio_links
  using (app.owns_bio_page(bio_page_id)
    or (app.is_looked_up('bio_links', bio_page_id::text) and is_visible and not app.is_blocked_page(bio_page_id)
      and app.block_of(null, null, url) is null));

-- The collector of unused images asks which ones pages show; a take-down empties them.
grant select (id, avatar_url), update (avatar_url) on app.bio_pages to hoplet_worker;
grant execute on function app.is_hsl(text), app.is_visible(text) to hoplet_worker;
create policy worker_read on app.bio_pages for select to hoplet_worker using (true);
create policy worker_update on app.bio_pages for update to hoplet_worker using (true) with check (true);

create or replace view api.bio_pages with (security_invoker = true) as
  select id, user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then visit_count end as visit_count,
    case when user_id = (select app.current_user_id()) or (select app.claims() ->> 'role') = 'service_role'
      then app.bio_page_version(id) end as version,
    look, avatar_url
  from app.bio_pages;
grant select (look, avatar_url) on api.bio_pages to anon;

create or replace view api.bio_links with (security_invoker = true) as
  select id, bio_page_id, title, url, link_order,
    case when (select app.sees_counts())
        and (app.owns_bio_page(bio_page_id) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count,
    is_visible
  from app.bio_links;

create or replace function app.bio_page_version(page uuid) returns text
language sql stable security definer set search_path = '' as $$
  select left(encode(sha256(convert_to(jsonb_build_array(
      p.slug, p.title, p.description, p.popup_id, p.theme_primary, p.theme_background, p.theme_text, p.look, p.avatar_url,
      (select jsonb_agg(jsonb_build_array(l.id, l.title, l.url, l.link_order, l.is_visible) order by l.link_order, l.id)
        from app.bio_links l where l.bio_page_id = p.id),
      (select jsonb_agg(jsonb_build_array(s.id, s.platform, s.url, s.display_order) order by s.display_order, s.id)
        from app.bio_social_links s where s.bio_page_id = p.id))::text, 'utf8')), 'hex'), 32)
  from app.bio_pages p where p.id = bio_page_version.page
$$;

-- As before, and a link says whether visitors see it; one that does not say keeps what is stored.
create or replace function app.replace_bio_links(of_page uuid, wanted jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  named text[] := array(select w ->> 'id' from jsonb_array_elements(wanted) as w where w ->> 'id' is not null);
  kept uuid[] := '{}';
  place integer := 0;
  item record;
  row_id uuid;
begin
  for item in
    select w.id, btrim(w.title) as title, btrim(w.url) as url, w.is_visible
    from rows from (jsonb_to_recordset(wanted) as (id text, title text, url text, is_visible boolean))
      with ordinality as w (id, title, url, is_visible, at)
    where w.title ~ '\S' and w.url ~ '\S' order by w.at
  loop
    row_id := null;
    select l.id into row_id from app.bio_links l
      where l.bio_page_id = of_page and l.id <> all (kept)
        and (l.id::text = item.id or ((l.title, l.url) = (item.title, item.url) and l.id::text <> all (named)))
      order by (l.id::text = item.id) is true desc, l.link_order limit 1;
    if row_id is null then
      insert into app.bio_links (bio_page_id, title, url, link_order, is_visible)
        values (of_page, item.title, item.url, place, coalesce(item.is_visible, true)) returning id into row_id;
    else
      update app.bio_links l set title = item.title, url = item.url, link_order = place,
        is_visible = coalesce(item.is_visible, l.is_visible)
        where l.id = row_id and (l.title, l.url, l.link_order, l.is_visible)
          is distinct from (item.title, item.url, place, coalesce(item.is_visible, l.is_visible));
    end if;
    kept := kept || row_id;
    place := place + 1;
  end loop;
  delete from app.bio_links l where l.bio_page_id = of_page and l.id <> all (kept);
end $$;

-- As before, with the look and the picture; an empty picture is none.
create or replace function api.save_bio_page(page jsonb, links jsonb default null, social_links jsonb default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  wanted_links jsonb := app.require_bio_list('links', save_bio_page.links, 100);
  wanted_social jsonb := app.require_bio_list('social_links', save_bio_page.social_links, 50);
  wanted_slug text := lower(page ->> 'slug');
  wanted_popup uuid := nullif(page ->> 'popup_id', '')::uuid;
  stored app.bio_pages;
  stored_version text;
begin
  if me is null then
    raise insufficient_privilege using message = 'permission denied: a bio page needs an account';
  end if;
  if jsonb_typeof(page) is distinct from 'object' then
    raise invalid_parameter_value using message = 'page must be an object.';
  end if;
  -- Saves by one person wait for each other here, including the first save, which has no row to lock yet.
  perform pg_advisory_xact_lock(hashtextextended('hoplet.bio_page:' || me, 0));
  select p.* into stored from app.bio_pages p where p.user_id = me for update;
  stored_version := app.bio_page_version(stored.id);
  if page ? 'version' and page ->> 'version' is distinct from stored_version then
    raise exception using errcode = 'PT409', message = 'This page was changed somewhere else since you opened it.',
      hint = 'stale_version', detail = jsonb_build_object('version', stored_version)::text;
  end if;
  if coalesce(wanted_slug, stored.slug, '') = '' or coalesce(page ->> 'title', stored.title, '') !~ '\S' then
    raise check_violation using message = 'Please fill in slug and title';
  end if;
  if wanted_popup is not null and not exists (select 1 from app.popups o where o.id = wanted_popup and o.user_id = me) then
    raise foreign_key_violation using message = 'This popup does not exist any more. Please choose another one.';
  end if;

  if stored.id is null then
    insert into app.bio_pages as p (user_id, slug, title) values (me, wanted_slug, btrim(page ->> 'title'))
    returning p.* into stored;
  end if;
  update app.bio_pages p set
    slug = coalesce(wanted_slug, p.slug),
    title = coalesce(btrim(page ->> 'title'), p.title),
    description = case when page ? 'description' then page ->> 'description' else p.description end,
    popup_id = case when page ? 'popup_id' then wanted_popup else p.popup_id end,
    theme_primary = coalesce(page ->> 'theme_primary', p.theme_primary),
    theme_background = coalesce(page ->> 'theme_background', p.theme_background),
    theme_text = coalesce(page ->> 'theme_text', p.theme_text),
    look = coalesce(page ->> 'look', p.look),
    avatar_url = case when page ? 'avatar_url' then nullif(page ->> 'avatar_url', '') else p.avatar_url end
  where p.id = stored.id;

  if wanted_links is not null then perform app.replace_bio_links(stored.id, wanted_links); end if;
  if wanted_social is not null then perform app.replace_bio_social_links(stored.id, wanted_social); end if;
  return jsonb_build_object(
    'page', (select to_jsonb(p) from api.bio_pages p where p.id = stored.id),
    'links', coalesce((select jsonb_agg(to_jsonb(l) order by l.link_order)
      from api.bio_links l where l.bio_page_id = stored.id), '[]'),
    'social_links', coalesce((select jsonb_agg(to_jsonb(s) order by s.display_order)
      from api.bio_social_links s where s.bio_page_id = stored.id), '[]'));
end $$;
