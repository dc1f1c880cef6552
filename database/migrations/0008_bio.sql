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
  constraint bio_pages_title_visible check (app.is_visible(title)),
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
  click_count bigint not null default 0 check (click_count >= 0),
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

create function app.before_bio_page_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    new.visit_count := 0;
    -- Before the name, as with links: no one claims a name for another account, or learns what it had.
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
    if (select count(*) from app.names n where n.owner_id = new.user_id and n.kind = 'bio' and n.released_at is not null
        and n.name <> new.slug) >= 5 then
      raise exception using errcode = 'P0001', hint = 'too_many_rows',
        message = 'The names of 5 deleted pages are still kept for you. Please take one of them again, or wait until one is free.';
    end if;
    if not app.claim_name(new.slug, 'bio', new.user_id) then
      raise unique_violation using message = 'This slug is already in use. Please try another one.',
        constraint = 'bio_pages_slug_key';
    end if;
  elsif new.slug <> old.slug or new.user_id <> old.user_id then
    raise check_violation using message = 'A bio page keeps its slug and its owner.';
  end if;
  -- A page says "Join @title". Pages from before keep theirs.
  if (tg_op = 'INSERT' or new.title <> old.title) and app.is_reserved_brand(new.title) then
    raise check_violation using message = 'This name is reserved. Please choose another one.';
  end if;
  return new;
end $$;
create trigger before_write before insert or update of slug, user_id, title on app.bio_pages
  for each row execute function app.before_bio_page_write();

create function app.after_bio_page_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.release_name(old.slug, old.visit_count > 0, false);
  return old;
end $$;
create trigger after_delete after delete on app.bio_pages
  for each row execute function app.after_bio_page_delete();

create function app.notify_bio_page() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', coalesce(new.slug, old.slug));
  return null;
end $$;
create trigger notify after insert or delete or update of title, description, popup_id, theme_primary, theme_background, theme_text
  on app.bio_pages for each row execute function app.notify_bio_page();

create function app.notify_bio_list() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', p.slug) from app.bio_pages p where p.id = coalesce(new.bio_page_id, old.bio_page_id);
  return null;
end $$;
create trigger notify after insert or delete or update of title, url, link_order on app.bio_links
  for each row execute function app.notify_bio_list();
create trigger notify after insert or delete or update on app.bio_social_links
  for each row execute function app.notify_bio_list();

create trigger refuse_blocked_host before insert or update of url on app.bio_links
  for each row execute function app.refuse_blocked_host('url');
create trigger refuse_blocked_host before insert or update of url on app.bio_social_links
  for each row execute function app.refuse_blocked_host('url');

-- The page is locked, so that two inserts at once do not both find room. The person reads the message.
create function app.limit_bio_links() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.bio_pages p where p.id = new.bio_page_id for no key update;
  if (select count(*) from app.bio_links l where l.bio_page_id = new.bio_page_id) > 200 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows', message = 'A bio page has at most 200 links.';
  end if;
  return null;
end $$;
create trigger limit_rows after insert or update of bio_page_id on app.bio_links
  for each row execute function app.limit_bio_links();

create function app.limit_bio_social_links() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from app.bio_pages p where p.id = new.bio_page_id for no key update;
  if (select count(*) from app.bio_social_links s where s.bio_page_id = new.bio_page_id) > 50 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows', message = 'A bio page has at most 50 social links.';
  end if;
  return null;
end $$;
create trigger limit_rows after insert or update of bio_page_id on app.bio_social_links
  for each row execute function app.limit_bio_social_links();

create function app.owns_bio_page(page uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.bio_pages p where p.id = page and p.user_id = app.current_user_id())
$$;
create function app.is_blocked_page(page uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.bio_pages p where p.id = page and app.block_of(p.slug, p.user_id, null) is not null)
$$;
grant execute on function app.owns_bio_page(uuid) to authenticated, anon, service_role;
grant execute on function app.is_blocked_page(uuid) to anon, authenticated, hoplet_visits;

-- Bio pages and their lists: the owner's, or the page that a visitor named. Visitors see nothing of what is blocked;
-- owners still see their own.
alter table app.bio_pages enable row level security;
alter table app.bio_pages force row level security;
create policy owner_all on app.bio_pages to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.bio_pages to service_role;
create policy service_all on app.bio_pages to service_role using (true) with check (true);

grant select (id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, visit_count, user_id)
  on app.bio_pages to anon;
create policy look_up on app.bio_pages for select to anon
  using (slug = (select app.lookup_key('bio_pages')) and app.block_of(slug, user_id, null) is null);

grant select, delete,
  insert (user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text),
  update (user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text)
  on app.bio_pages to authenticated;
create policy own_or_look_up on app.bio_pages for select to authenticated
  using (user_id = (select app.current_user_id()) or (app.is_looked_up('bio_pages', slug)
    and app.block_of(slug, user_id, null) is null));
create policy own_insert on app.bio_pages for insert to authenticated with check (user_id = (select app.current_user_id()));
create policy own_update on app.bio_pages for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.bio_pages for delete to authenticated using (user_id = (select app.current_user_id()));

grant select on app.bio_pages to hoplet_visits;
create policy visits_read on app.bio_pages for select to hoplet_visits using (true);
grant update (visit_count) on app.bio_pages to hoplet_visits;
create policy visits_count on app.bio_pages for update to hoplet_visits using (true) with check (true);

alter table app.bio_links enable row level security;
alter table app.bio_links force row level security;
create policy owner_all on app.bio_links to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.bio_links to service_role;
create policy service_all on app.bio_links to service_role using (true) with check (true);

grant select (id, bio_page_id, title, url, link_order, click_count) on app.bio_links to anon;
create policy look_up on app.bio_links for select to anon
  using (bio_page_id::text = (select app.lookup_key('bio_links')) and not app.is_blocked_page(bio_page_id)
    and app.block_of(null, null, url) is null);

grant select, select (click_count), delete, insert (bio_page_id, title, url, link_order), update (bio_page_id, title, url, link_order)
  on app.bio_links to authenticated;
create policy own_or_look_up on app.bio_links for select to authenticated
  using (app.owns_bio_page(bio_page_id)
    or (app.is_looked_up('bio_links', bio_page_id::text) and not app.is_blocked_page(bio_page_id)
      and app.block_of(null, null, url) is null));
create policy own_insert on app.bio_links for insert to authenticated with check (app.owns_bio_page(bio_page_id));
create policy own_update on app.bio_links for update to authenticated
  using (app.owns_bio_page(bio_page_id)) with check (app.owns_bio_page(bio_page_id));
create policy own_delete on app.bio_links for delete to authenticated using (app.owns_bio_page(bio_page_id));

grant select on app.bio_links to hoplet_visits;
create policy visits_read on app.bio_links for select to hoplet_visits using (true);
grant update (click_count) on app.bio_links to hoplet_visits;
create policy visits_count on app.bio_links for update to hoplet_visits using (true) with check (true);

alter table app.bio_social_links enable row level security;
alter table app.bio_social_links force row level security;
create policy owner_all on app.bio_social_links to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.bio_social_links to service_role;
create policy service_all on app.bio_social_links to service_role using (true) with check (true);

grant select (id, bio_page_id, platform, url, display_order) on app.bio_social_links to anon;
create policy look_up on app.bio_social_links for select to anon
  using (bio_page_id::text = (select app.lookup_key('bio_social_links')) and not app.is_blocked_page(bio_page_id)
    and app.block_of(null, null, url) is null);

grant select, delete, insert (bio_page_id, platform, url, display_order), update (bio_page_id, platform, url, display_order)
  on app.bio_social_links to authenticated;
create policy own_or_look_up on app.bio_social_links for select to authenticated
  using (app.owns_bio_page(bio_page_id)
    or (app.is_looked_up('bio_social_links', bio_page_id::text) and not app.is_blocked_page(bio_page_id)
      and app.block_of(null, null, url) is null));
create policy own_insert on app.bio_social_links for insert to authenticated with check (app.owns_bio_page(bio_page_id));
create policy own_update on app.bio_social_links for update to authenticated
  using (app.owns_bio_page(bio_page_id)) with check (app.owns_bio_page(bio_page_id));
create policy own_delete on app.bio_social_links for delete to authenticated using (app.owns_bio_page(bio_page_id));

grant select on app.bio_social_links to hoplet_visits;
create policy visits_read on app.bio_social_links for select to hoplet_visits using (true);

-- What a save compares: a token that changes with any edit of the page or of its lists, and not with counts.
create function app.bio_page_version(page uuid) returns text
language sql stable security definer set search_path = '' as $$
  select left(encode(sha256(convert_to(jsonb_build_array(
      p.slug, p.title, p.description, p.popup_id, p.theme_primary, p.theme_background, p.theme_text,
      (select jsonb_agg(jsonb_build_array(l.id, l.title, l.url, l.link_order) order by l.link_order, l.id)
        from app.bio_links l where l.bio_page_id = p.id),
      (select jsonb_agg(jsonb_build_array(s.id, s.platform, s.url, s.display_order) order by s.display_order, s.id)
        from app.bio_social_links s where s.bio_page_id = p.id))::text, 'utf8')), 'hex'), 32)
  from app.bio_pages p where p.id = bio_page_version.page
$$;
grant execute on function app.bio_page_version(uuid) to authenticated, service_role;

-- Makes the links of a page those that are wanted, in their order. A row keeps its id and its clicks when its id is given
-- or its title and address are the same. Rows without a title or an address are skipped.
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

-- Social links likewise, which have a platform where links have a title.
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
create function app.require_bio_list(name text, wanted jsonb, max_rows integer) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if wanted is null or jsonb_typeof(wanted) = 'null' then return null; end if;
  if jsonb_typeof(wanted) <> 'array' or exists (select 1 from jsonb_array_elements(
      case jsonb_typeof(wanted) when 'array' then wanted else '[]' end) as w where jsonb_typeof(w) <> 'object') then
    raise invalid_parameter_value using message = format('%s must be a list of objects.', name);
  end if;
  if jsonb_array_length(wanted) > max_rows then
    raise invalid_parameter_value using message = format('A bio page has at most %s %s.', max_rows, replace(name, '_', ' '));
  end if;
  return wanted;
end $$;
