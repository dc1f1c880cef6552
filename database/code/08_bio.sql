create function app.before_bio_page_write() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  place record;
begin
  if tg_op = 'INSERT' then
    new.visit_count := 0;
    -- Before the name, as with links: no one claims a name for another account, or learns its links.
    if new.user_id <> app.current_user_id() then
      raise insufficient_privilege using message = 'new row violates row-level security policy for table "bio_pages"';
    end if;
    -- Before it is made lower case: lower() turns some foreign letters into ASCII ones.
    if new.slug !~ '^[A-Za-z0-9_-]{1,50}$' then
      raise check_violation using message = 'invalid slug', constraint = 'bio_pages_slug_check';
    end if;
    new.slug := lower(new.slug);
    if app.is_reserved_brand(new.slug) then
      raise check_violation using message = 'This name is reserved. Please choose another one.';
    end if;
    select * into place from app.place_of(new.user_id, new.domain);
    new.domain := place.host;
    if place.prefix <> '' and new.slug = any (app.reserved_on_domains()) then
      raise check_violation using message = 'This name is reserved. Please choose another one.';
    end if;
    new.slug := place.prefix || new.slug;
    if (select count(*) from app.names n where n.owner_id = new.user_id and n.kind = 'bio' and n.released_at is not null
        and n.name <> new.slug) >= 5 then
      raise exception using errcode = 'P0001', hint = 'too_many_rows',
        message = 'The names of 5 deleted pages are still kept for you. '
          || 'Please take one of them again, or wait until one is free.';
    end if;
    if not app.claim_name(new.slug, 'bio', new.user_id) then
      raise unique_violation using message = 'This slug is already in use. Please try another one.',
        constraint = 'bio_pages_slug_key';
    end if;
  else
    -- Programs see the name of a key, and its domain apart.
    if new.slug = app.name_in(old.slug) then new.slug := old.slug; end if;
    if new.slug <> old.slug or new.domain is distinct from old.domain or new.user_id <> old.user_id then
      raise check_violation using message = 'A bio page keeps its slug and its owner.';
    end if;
  end if;
  -- A page says "Join @title". Pages from before keep theirs.
  if (tg_op = 'INSERT' or new.title <> old.title) and app.is_reserved_brand(new.title) then
    raise check_violation using message = 'This name is reserved. Please choose another one.';
  end if;
  return new;
end $$;
create trigger before_write before insert or update of slug, domain, user_id, title on app.bio_pages
  for each row execute function app.before_bio_page_write();

create trigger trim before insert or update of title, description on app.bio_pages
  for each row execute function app.trim_texts('title', 'description');
create trigger trim before insert or update of title on app.bio_links
  for each row execute function app.trim_texts('title');

create function app.after_bio_page_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.release_name(old.slug, old.visit_count > 0, false);
  return old;
end $$;
create trigger after_delete after delete on app.bio_pages
  for each row execute function app.after_bio_page_delete();

create trigger notify after insert or delete on app.bio_pages
  for each row execute function app.notify_visits('', 'slug');
create trigger notify_change after update on app.bio_pages
  for each row when (old.visit_count = new.visit_count and old.* is distinct from new.*)
  execute function app.notify_visits('', 'slug');

create function app.notify_bio_list() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', p.slug) from app.bio_pages p
    where p.id = coalesce(new.bio_page_id, old.bio_page_id);
  return null;
end $$;
create trigger notify after insert or delete on app.bio_links for each row execute function app.notify_bio_list();
create trigger notify_change after update on app.bio_links
  for each row when (old.click_count = new.click_count and old.* is distinct from new.*)
  execute function app.notify_bio_list();
create trigger notify after insert or delete or update on app.bio_social_links
  for each row execute function app.notify_bio_list();
create trigger refuse_blocked_host before insert or update of url on app.bio_links
  for each row execute function app.refuse_blocked_host('url');
create trigger refuse_blocked_host before insert or update of url on app.bio_social_links
  for each row execute function app.refuse_blocked_host('url');

-- How many rows each list of a page may have: a trigger with the figure, and the noun of the rows. The page is locked, so
-- that two inserts at once do not both find room. The person reads the message.
create function app.limit_bio_list() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  max_rows constant integer := tg_argv[0];
  is_over boolean;
begin
  perform 1 from app.bio_pages p where p.id = new.bio_page_id for no key update;
  execute format('select count(*) > $1 from app.%I where bio_page_id = $2', tg_table_name)
    into is_over using max_rows, new.bio_page_id;
  if is_over then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = format('A bio page has at most %s %s.', max_rows, tg_argv[1]);
  end if;
  return null;
end $$;
create trigger limit_rows after insert or update of bio_page_id on app.bio_links
  for each row execute function app.limit_bio_list('200', 'links');
create trigger limit_rows after insert or update of bio_page_id on app.bio_social_links
  for each row execute function app.limit_bio_list('50', 'social links');

create function app.owns_bio_page(page uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.bio_pages p where p.id = page and p.user_id = app.current_user_id())
$$;

create function app.is_blocked_page(page uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.bio_pages p where p.id = page and app.block_of(p.slug, p.user_id, null) is not null)
$$;

-- Whether visitors see an entry now.
create function app.is_in_time(starts_at timestamptz, ends_at timestamptz) returns boolean
language sql stable set search_path = ''
return coalesce(starts_at <= now(), true) and coalesce(ends_at > now(), true);

create policy service_all on app.bio_pages to service_role using (true) with check (true);
create policy look_up on app.bio_pages for select to anon
  using (slug = (select app.lookup_key('bio_pages')) and app.block_of(slug, user_id, null) is null);
create policy own_or_look_up on app.bio_pages for select to authenticated
  using (user_id = (select app.current_user_id())
    or (app.is_looked_up('bio_pages', slug) and app.block_of(slug, user_id, null) is null));
create policy own_insert on app.bio_pages for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy own_update on app.bio_pages for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.bio_pages for delete to authenticated using (user_id = (select app.current_user_id()));
create policy visits_read on app.bio_pages for select to hoplet_visits using (true);
create policy service_all on app.bio_links to service_role using (true) with check (true);
create policy look_up on app.bio_links for select to anon
  using (bio_page_id::text = (select app.lookup_key('bio_links')) and is_visible and app.is_in_time(starts_at, ends_at)
    and not app.is_blocked_page(bio_page_id) and app.block_of(null, null, url) is null);
create policy own_or_look_up on app.bio_links for select to authenticated
  using (app.owns_bio_page(bio_page_id)
    or (app.is_looked_up('bio_links', bio_page_id::text) and is_visible
      and app.is_in_time(starts_at, ends_at) and not app.is_blocked_page(bio_page_id)
      and app.block_of(null, null, url) is null));
create policy own_insert on app.bio_links for insert to authenticated with check (app.owns_bio_page(bio_page_id));
create policy own_update on app.bio_links for update to authenticated
  using (app.owns_bio_page(bio_page_id)) with check (app.owns_bio_page(bio_page_id));
create policy own_delete on app.bio_links for delete to authenticated using (app.owns_bio_page(bio_page_id));
create policy visits_read on app.bio_links for select to hoplet_visits using (true);
create policy service_all on app.bio_social_links to service_role using (true) with check (true);
create policy look_up on app.bio_social_links for select to anon
  using (bio_page_id::text = (select app.lookup_key('bio_social_links')) and not app.is_blocked_page(bio_page_id)
    and app.block_of(null, null, url) is null);
create policy own_or_look_up on app.bio_social_links for select to authenticated
  using (app.owns_bio_page(bio_page_id)
    or (app.is_looked_up('bio_social_links', bio_page_id::text) and not app.is_blocked_page(bio_page_id)
      and app.block_of(null, null, url) is null));
create policy own_insert on app.bio_social_links for insert to authenticated
  with check (app.owns_bio_page(bio_page_id));
create policy own_update on app.bio_social_links for update to authenticated
  using (app.owns_bio_page(bio_page_id)) with check (app.owns_bio_page(bio_page_id));
create policy own_delete on app.bio_social_links for delete to authenticated using (app.owns_bio_page(bio_page_id));
create policy visits_read on app.bio_social_links for select to hoplet_visits using (true);

-- Compared by a save: a token that changes with any edit of the page or of its lists, and not with counts.
create function app.bio_page_version(page uuid) returns text
language sql stable security definer set search_path = '' as $$
  select left(encode(sha256(convert_to(jsonb_build_array(
      p.slug, p.title, p.description, p.popup_id, p.theme_primary, p.theme_background, p.theme_text, p.look,
      p.avatar_url,
      (select jsonb_agg(jsonb_build_array(l.id, l.title, l.url, l.link_order, l.is_visible)
          || case when (l.kind, num_nonnulls(l.image_url, l.starts_at, l.ends_at)) = ('link', 0) then '[]'
            else jsonb_build_array(l.kind, l.image_url, l.starts_at, l.ends_at) end order by l.link_order, l.id)
        from app.bio_links l where l.bio_page_id = p.id),
      (select jsonb_agg(jsonb_build_array(s.id, s.platform, s.url, s.display_order) order by s.display_order, s.id)
        from app.bio_social_links s where s.bio_page_id = p.id))::text, 'utf8')), 'hex'), 32)
  from app.bio_pages p where p.id = bio_page_version.page
$$;

-- Makes the links, headers and dividers of a page those that are wanted, in their order. One that is there, by its id or
-- with the same content, stays and keeps its clicks. A field that is not sent stays too. Links without title or address
-- and headers without title are left out.
create function app.replace_bio_links(of_page uuid, wanted jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  named text[] := array(select w ->> 'id' from jsonb_array_elements(wanted) as w where w ->> 'id' is not null);
  kept uuid[] := '{}';
  place integer := 0;
  item record;
  stored app.bio_links;
begin
  for item in
    select e.sent, w.id, coalesce(w.kind, l.kind, 'link') as kind, coalesce(app.trimmed(w.title), '') as title,
      coalesce(btrim(w.url), '') as url, w.is_visible, nullif(w.image_url, '') as image_url, w.starts_at, w.ends_at
    from jsonb_array_elements(wanted) with ordinality as e (sent, at)
      cross join lateral jsonb_to_record(e.sent) as w (id text, kind text, title text, url text, is_visible boolean,
        image_url text, starts_at timestamptz, ends_at timestamptz)
      left join app.bio_links l on l.bio_page_id = of_page and l.id::text = w.id
    order by e.at
  loop
    continue when item.kind <> 'divider' and item.title !~ '\S' or item.kind = 'link' and item.url !~ '\S';
    if item.kind <> 'link' then item.url := ''; end if;
    if item.kind = 'divider' then item.title := ''; end if;
    stored := null;
    select l.* into stored from app.bio_links l
      where l.bio_page_id = of_page and l.id <> all (kept)
        and (l.id::text = item.id
          or ((l.kind, l.title, l.url) = (item.kind, item.title, item.url) and l.id::text <> all (named)))
      order by (l.id::text = item.id) is true desc, l.link_order limit 1;
    if item.sent ? 'image_url' then stored.image_url := item.image_url; end if;
    if item.sent ? 'starts_at' then stored.starts_at := item.starts_at; end if;
    if item.sent ? 'ends_at' then stored.ends_at := item.ends_at; end if;
    stored.is_visible := coalesce(item.is_visible, stored.is_visible, true);
    if stored.id is null then
      insert into app.bio_links (bio_page_id, kind, title, url, link_order, is_visible, image_url, starts_at, ends_at)
        values (of_page, item.kind, item.title, item.url, place, stored.is_visible, stored.image_url,
          stored.starts_at, stored.ends_at) returning id into stored.id;
    else
      update app.bio_links l set kind = item.kind, title = item.title, url = item.url, link_order = place,
        is_visible = stored.is_visible, image_url = stored.image_url, starts_at = stored.starts_at,
        ends_at = stored.ends_at
        where l.id = stored.id
          and (l.kind, l.title, l.url, l.link_order, l.is_visible, l.image_url, l.starts_at, l.ends_at)
          is distinct from (item.kind, item.title, item.url, place, stored.is_visible, stored.image_url,
            stored.starts_at, stored.ends_at);
    end if;
    kept := kept || stored.id;
    place := place + 1;
  end loop;
  delete from app.bio_links l where l.bio_page_id = of_page and l.id <> all (kept);
end $$;

-- Social links likewise, which have a platform where links have a title, and are always visible. (One function for both
-- would have to write its statements at run time.)
create function app.replace_bio_social_links(of_page uuid, wanted jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  named text[] := array(select w ->> 'id' from jsonb_array_elements(wanted) as w where w ->> 'id' is not null);
  kept uuid[] := '{}';
  place integer := 0;
  item record;
  row_id uuid;
begin
  for item in
    select w.id, w.platform, btrim(w.url) as url
    from rows from (jsonb_to_recordset(wanted) as (id text, platform text, url text))
      with ordinality as w (id, platform, url, at)
    where w.url ~ '\S' order by w.at
  loop
    row_id := null;
    select s.id into row_id from app.bio_social_links s
      where s.bio_page_id = of_page and s.id <> all (kept)
        and (s.id::text = item.id or ((s.platform, s.url) = (item.platform, item.url) and s.id::text <> all (named)))
      order by (s.id::text = item.id) is true desc, s.display_order limit 1;
    if row_id is null then
      insert into app.bio_social_links (bio_page_id, platform, url, display_order)
        values (of_page, item.platform, item.url, place) returning id into row_id;
    else
      update app.bio_social_links s set platform = item.platform, url = item.url, display_order = place
        where s.id = row_id and (s.platform, s.url, s.display_order) is distinct from (item.platform, item.url, place);
    end if;
    kept := kept || row_id;
    place := place + 1;
  end loop;
  delete from app.bio_social_links s where s.bio_page_id = of_page and s.id <> all (kept);
end $$;

-- A list of objects, short enough that a save stays quick, or null; anything else is 22023.
create function app.require_bio_list(name text, wanted jsonb, max_rows integer) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if wanted is null or jsonb_typeof(wanted) = 'null' then return null; end if;
  if jsonb_typeof(wanted) <> 'array' or exists (select 1 from jsonb_array_elements(
      case jsonb_typeof(wanted) when 'array' then wanted else '[]' end) as w where jsonb_typeof(w) <> 'object') then
    raise invalid_parameter_value using message = format('%s must be a list of objects.', name);
  end if;
  if jsonb_array_length(wanted) > max_rows then
    raise invalid_parameter_value
      using message = format('A bio page has at most %s %s.', max_rows, replace(name, '_', ' '));
  end if;
  return wanted;
end $$;

create view api.bio_pages with (security_invoker = true) as
  select id, user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin_or_service()))
      then visit_count end as visit_count,
    case when user_id = (select app.current_user_id()) or (select app.claims() ->> 'role') = 'service_role'
      then app.bio_page_version(id) end as version,
    look, avatar_url, domain
  from app.bio_pages;

create view api.bio_links with (security_invoker = true) as
  select id, bio_page_id, title, url, link_order,
    case when (select app.sees_counts())
        and (app.owns_bio_page(bio_page_id) or (select app.is_admin_or_service()))
      then click_count end as click_count,
    is_visible, kind, image_url, starts_at, ends_at
  from app.bio_links;

create view api.bio_social_links with (security_invoker = true) as
  select id, bio_page_id, platform, url, display_order from app.bio_social_links;

-- The page with both of its lists, or the given ones. An empty picture is none.
create function api.save_bio_page(page jsonb, links jsonb default null, social_links jsonb default null) returns jsonb
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

  if stored.id is not null and page ? 'domain'
    and (app.place_of(me, coalesce(page ->> 'domain', ''))).host is distinct from stored.domain then
    raise check_violation using message = 'A bio page keeps its slug and its owner.';
  end if;
  if stored.id is null then
    insert into app.bio_pages as p (user_id, slug, domain, title)
    values (me, wanted_slug, page ->> 'domain', page ->> 'title')
    returning p.* into stored;
  end if;
  update app.bio_pages p set
    slug = coalesce(wanted_slug, p.slug),
    title = coalesce(page ->> 'title', p.title),
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
    'page', (select to_jsonb(p) || jsonb_build_object('slug', app.name_in(p.slug))
      from api.bio_pages p where p.id = stored.id),
    'links', coalesce((select jsonb_agg(to_jsonb(l) order by l.link_order)
      from api.bio_links l where l.bio_page_id = stored.id), '[]'),
    'social_links', coalesce((select jsonb_agg(to_jsonb(s) order by s.display_order)
      from api.bio_social_links s where s.bio_page_id = stored.id), '[]'));
end $$;

create policy worker_read on app.bio_links for select to hoplet_worker using (true);
create policy worker_update on app.bio_links for update to hoplet_worker using (true) with check (true);
create policy worker_read on app.bio_pages for select to hoplet_worker using (true);
create policy worker_update on app.bio_pages for update to hoplet_worker using (true) with check (true);

comment on view api.bio_pages is 'Bio pages, one per account. Everyone may look one up by its slug.';
comment on view api.bio_links is 'The links, headers and dividers of a bio page. Everyone may list those of a page by bio_page_id.';
comment on view api.bio_social_links is
  'The social profiles of a bio page. Everyone may list those of a page by bio_page_id.';
comment on function api.save_bio_page(jsonb, jsonb, jsonb) is
  'Saves the bio page with its links and social profiles, all or nothing. '
  'With a version, only when nobody has changed it since.';

grant execute on function api.save_bio_page(jsonb, jsonb, jsonb) to authenticated;
grant execute on function app.bio_page_version(uuid) to authenticated, service_role;
grant execute on function app.is_in_time(timestamptz, timestamptz) to anon, authenticated, hoplet_visits;
grant execute on function app.is_blocked_page(uuid) to anon, authenticated, hoplet_visits;
grant execute on function app.owns_bio_page(uuid) to anon, authenticated, service_role;

grant select, insert, update, delete on api.bio_pages to authenticated, service_role;

grant
  select (id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, visit_count, look,
    avatar_url, domain)
  on api.bio_pages to anon;

grant select on api.bio_links to anon;

grant select, insert, update, delete on api.bio_links to authenticated, service_role;

grant select on api.bio_social_links to anon;

grant select, insert, update, delete on api.bio_social_links to authenticated, service_role;
