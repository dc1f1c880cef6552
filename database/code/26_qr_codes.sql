-- Placements of links. People make them with create_placements, which draws their marks.

-- The mark of a link's n-th placement, from 0. Marks have digits and consonants that do not look alike and spell no word: 784 of
-- two, then 21,952 of three, and so on. The steps share no factor with these numbers, so that each comes once.
create function app.placement_mark(_link uuid, _n integer) returns text
language plpgsql immutable set search_path = '' as $$
declare
  letters constant text := '23456789bcdfghjkmnpqrstvwxyz';
  steps constant bigint[] := '{0,485,13567,379877,10636007,297808193}';
  size integer := 2;
  total bigint := 784;
  n bigint := _n;
  mark text := '';
begin
  while n >= total loop
    n := n - total;
    size := size + 1;
    total := total * 28;
  end loop;
  -- Each link begins somewhere else.
  n := (n * steps[size] + ('x' || substr(md5(_link::text), 1, 7))::bit(28)::integer) % total;
  for i in 1..size loop
    mark := mark || substr(letters, (n % 28)::integer + 1, 1);
    n := n / 28;
  end loop;
  return mark;
end $$;

create trigger trim before insert or update of name, utm_source, utm_medium, utm_campaign, utm_term, utm_content
  on app.placements
  for each row execute function app.trim_texts('name', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content');

create function app.has_utm(_placement app.placements) returns boolean
language sql immutable parallel safe
return (_placement).utm_source <> '' or (_placement).utm_medium <> '' or (_placement).utm_campaign <> ''
  or (_placement).utm_term <> '' or (_placement).utm_content <> '';

-- Visit caches have the campaigns of placements.
create function app.notify_placement() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if coalesce(app.has_utm(old), false) or coalesce(app.has_utm(new), false) then
    perform pg_notify('hoplet_names', s.short_code) from app.shortened_urls s
      where s.id = coalesce(new.link_id, old.link_id);
    perform pg_notify('hoplet_names', n.name) from app.shortened_urls s join app.names n on n.alias_of = s.short_code
      where s.id = coalesce(new.link_id, old.link_id);
  end if;
  return null;
end $$;
create trigger notify after insert or update or delete on app.placements
  for each row execute function app.notify_placement();

-- Which of these links have a placement with these marks, as hits name it: `{link}/{mark}`.
create function app.known_placements(_links uuid[], _marks text[]) returns setof text
language sql stable security definer set search_path = '' as $$
  select p.link_id || '/' || p.mark from unnest(_links, _marks) w (link, mark)
    join app.placements p on p.link_id = w.link and p.mark = w.mark
$$;

-- Names of placements in reports, with the codes of their links. A deleted one has none.
create function app.placement_names(_keys text[]) returns table (key text, name text, code text)
language sql stable security definer set search_path = '' as $$
  select k.key, p.name, app.shown_name(s.short_code)
  from unnest(_keys) k (key)
    join app.placements p on p.link_id = left(k.key, 36)::uuid and p.mark = substr(k.key, 38)
    join app.shortened_urls s on s.id = p.link_id
  where k.key ~ '^[0-9a-f-]{36}/'
$$;
grant execute on function app.known_placements(uuid[], text[]) to hoplet_visits;
grant execute on function app.placement_names(text[]) to hoplet_reports;

create policy service_all on app.placements to service_role using (true) with check (true);
create policy own_all on app.placements to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy visits_read on app.placements for select to hoplet_visits using (true);

create view api.placements with (security_invoker = true) as
  select id, link_id, name, mark, utm_source, utm_medium, utm_campaign, utm_term, utm_content, created_at
  from app.placements;
comment on view api.placements is
  'Prints of your links, each with a mark that its QR code has and that reports know. create_placements makes them.';
grant select, update, delete on api.placements to authenticated, service_role;

-- The first thing that is wrong with the names of new placements; null when nothing is.
create function app.placement_problem(_link uuid, _names text[]) returns text
language sql stable security definer set search_path = '' as $$
  select p.problem from (
    select n.place, case
        when not app.is_visible(n.name) then format('The name of placement %s is empty.', n.place)
        when length(n.name) > 80 then
          format('The name of placement %s has %s characters; the most is 80.', n.place, length(n.name))
        when n.name ~ '[[:cntrl:]]' then format('The name of placement %s has a line break or a tab.', n.place)
        when row_number() over (partition by lower(n.name) order by n.place) > 1
          then format('“%s” is in the list twice.', n.name)
        when exists (select from app.placements x where x.link_id = _link and lower(x.name) = lower(n.name))
          then format('This link already has a placement “%s”.', n.name) end as problem
    from unnest(_names) with ordinality n (name, place)) p
  where p.problem is not null order by p.place limit 1
$$;

-- The campaign of new placements, checked; the table bounds its texts.
create function app.placement_utm(_utm jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  wrong text;
begin
  if jsonb_typeof(coalesce(_utm, '{}')) <> 'object' then
    raise invalid_parameter_value using message = '_utm is an object such as {"utm_source": "poster"}';
  end if;
  select u.key into wrong from jsonb_each(_utm) u
    where u.key not in ('utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content')
      or jsonb_typeof(u.value) not in ('string', 'null') limit 1;
  if wrong is not null then
    raise invalid_parameter_value using message = format('Unknown UTM field: %s', left(wrong, 50)),
      hint = 'utm_source, utm_medium, utm_campaign, utm_term and utm_content are texts';
  end if;
  return coalesce(_utm, '{}');
end $$;

-- All of them, or none. The counter of the account is locked before the link, as where links are made.
create function api.create_placements(_link uuid, _names text[], _utm jsonb default null) returns setof api.placements
language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.current_user_id();
  names constant text[] := array(
    select app.trimmed(coalesce(n.name, '')) from unnest(_names) with ordinality n (name, place) order by n.place);
  utm constant jsonb := app.placement_utm(_utm);
  problem text;
  first integer;
  made uuid[];
begin
  if names = '{}' then
    raise invalid_parameter_value using message = 'Please name at least one placement.';
  end if;
  perform app.lock_usage(me);
  perform 1 from app.shortened_urls s where s.id = _link and s.user_id = me for no key update;
  if not found then
    raise no_data_found using message = 'Your account has no such link.';
  end if;
  if cardinality(names) + (select count(*) from app.placements p where p.link_id = _link) > 1000 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = 'A link has at most 1,000 placements. Please delete some first.';
  end if;
  if cardinality(names) + (select count(*) from app.placements p where p.user_id = me) > 10000 then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = 'An account has at most 10,000 placements. Please delete some first.';
  end if;
  problem := app.placement_problem(_link, names);
  if problem is not null then
    raise check_violation using message = problem;
  end if;
  insert into app.placement_draws as d (link_id, drawn) values (_link, cardinality(names))
    on conflict (link_id) do update set drawn = d.drawn + excluded.drawn
    returning d.drawn - cardinality(names) into first;
  with added as (
    insert into app.placements (link_id, user_id, name, mark, utm_source, utm_medium, utm_campaign, utm_term, utm_content,
        created_at)
      select _link, me, n.name, app.placement_mark(_link, first + n.place::integer - 1),
        coalesce(utm ->> 'utm_source', ''), coalesce(utm ->> 'utm_medium', ''), coalesce(utm ->> 'utm_campaign', ''),
        coalesce(utm ->> 'utm_term', ''), coalesce(utm ->> 'utm_content', ''),
        -- By their age they have the order of the list.
        now() + (n.place - 1) * interval '1 microsecond'
      from unnest(names) with ordinality n (name, place) order by n.place
      returning id)
  select array_agg(a.id) into made from added a;
  return query select p.* from unnest(made) with ordinality m (id, place) join api.placements p on p.id = m.id
    order by m.place;
end $$;
comment on function api.create_placements(uuid, text[], jsonb) is
  'Adds placements to a link of yours, all of them or none, with one campaign if wanted, and returns them with their marks.';
grant execute on function api.create_placements(uuid, text[], jsonb) to authenticated;
-- Looks of QR codes.
create trigger trim before insert or update of name on app.qr_looks
  for each row execute function app.trim_texts('name');
create trigger limit_looks after insert on app.qr_looks
  for each row execute function app.limit_rows_of_account('20', 'looks of QR codes');

-- The earlier default ends when another look becomes it. The account is locked before the row is there: the check at the end of one
-- transaction would wait for the row of another one, which waits for the lock.
create function app.before_default_look() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from auth.users u where u.id = new.user_id for no key update;
  return new;
end $$;
create trigger lock_default before insert or update of is_default, user_id on app.qr_looks
  for each row when (new.is_default) execute function app.before_default_look();

create function app.after_default_look() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- A statement that makes several the default leaves the first one.
  update app.qr_looks set is_default = false where user_id = new.user_id and is_default and id <> new.id
    and exists (select from app.qr_looks l where l.id = new.id and l.is_default);
  return null;
end $$;
create trigger move_default after insert or update of is_default, user_id on app.qr_looks
  for each row when (new.is_default) execute function app.after_default_look();

create policy service_all on app.qr_looks to service_role using (true) with check (true);
create policy own_all on app.qr_looks to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));

create view api.qr_looks with (security_invoker = true) as
  select id, user_id, name, look, is_default, created_at from app.qr_looks;
comment on view api.qr_looks is 'Looks of your QR codes: shapes, colors, logo and frame. One may be the default.';
comment on column api.qr_looks.look is
  'cells, corners, color, cornerColor, background, quiet, logo, logoSize, frame and caption; a missing one is plain';
grant select, insert, update, delete on api.qr_looks to authenticated, service_role;
