-- One call saves a whole bio page: readers see the page and its lists as they were or as they are now, and a crash or
-- a second save in between leaves nothing half done. The separate table calls of the specification go on working.

-- Makes the links of a page those that are wanted, in their order. A row stays itself, with its clicks, when its id is
-- given or its title and address are the same. Rows without a title or an address are skipped.
create function app.replace_bio_links(of_page uuid, wanted jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  named text[] := array(select w ->> 'id' from jsonb_array_elements(wanted) as w where w ->> 'id' is not null);
  kept uuid[] := '{}';
  place integer := 0;
  item record;
  row_id uuid;
begin
  for item in
    select w.id, btrim(w.title) as title, btrim(w.url) as url
    from rows from (jsonb_to_recordset(wanted) as (id text, title text, url text)) with ordinality as w (id, title, url, at)
    where w.title ~ '\S' and w.url ~ '\S' order by w.at
  loop
    row_id := null;
    select l.id into row_id from app.bio_links l
      where l.bio_page_id = of_page and l.id <> all (kept)
        and (l.id::text = item.id or ((l.title, l.url) = (item.title, item.url) and l.id::text <> all (named)))
      order by (l.id::text = item.id) is true desc, l.link_order limit 1;
    if row_id is null then
      insert into app.bio_links (bio_page_id, title, url, link_order)
        values (of_page, item.title, item.url, place) returning id into row_id;
    else
      update app.bio_links l set title = item.title, url = item.url, link_order = place
        where l.id = row_id and (l.title, l.url, l.link_order) is distinct from (item.title, item.url, place);
    end if;
    kept := kept || row_id;
    place := place + 1;
  end loop;
  delete from app.bio_links l where l.bio_page_id = of_page and l.id <> all (kept);
end $$;

-- The same for the social links, which have a platform where links have a title.
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
    from rows from (jsonb_to_recordset(wanted) as (id text, platform text, url text)) with ordinality as w (id, platform, url, at)
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
create function app.require_bio_list(name text, wanted jsonb, most integer) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if wanted is null or jsonb_typeof(wanted) = 'null' then return null; end if;
  if jsonb_typeof(wanted) <> 'array' or exists (select 1 from jsonb_array_elements(
      case jsonb_typeof(wanted) when 'array' then wanted else '[]' end) as w where jsonb_typeof(w) <> 'object') then
    raise invalid_parameter_value using message = format('%s must be a list of objects.', name);
  end if;
  if jsonb_array_length(wanted) > most then
    raise invalid_parameter_value using message = format('A bio page has at most %s %s.', most, replace(name, '_', ' '));
  end if;
  return wanted;
end $$;

-- Creates the caller's page, which claims its slug, or updates it; then replaces both lists. A list that is
-- missing and keys that `page` lacks keep what is stored. Answers with {page, links, social_links} as they are now.
create function api.save_bio_page(page jsonb, links jsonb default null, social_links jsonb default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  wanted_links jsonb := app.require_bio_list('links', save_bio_page.links, 100);
  wanted_social jsonb := app.require_bio_list('social_links', save_bio_page.social_links, 50);
  wanted_slug text := lower(page ->> 'slug');
  wanted_popup uuid := nullif(page ->> 'popup_id', '')::uuid;
  stored app.bio_pages;
begin
  if me is null then
    raise insufficient_privilege using message = 'permission denied: a bio page needs an account';
  end if;
  if jsonb_typeof(page) is distinct from 'object' then
    raise invalid_parameter_value using message = 'page must be an object.';
  end if;
  -- Saves of one person queue here, the first ones too, when there is no row yet that could be locked.
  perform pg_advisory_xact_lock(hashtextextended('hoplet.bio_page:' || me, 0));
  select p.* into stored from app.bio_pages p where p.user_id = me for update;
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
    theme_text = coalesce(page ->> 'theme_text', p.theme_text)
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
grant execute on function api.save_bio_page(jsonb, jsonb, jsonb) to authenticated;
