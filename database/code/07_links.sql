-- Admins, and the service itself, may name a page after a brand.
create function app.is_reserved_brand(words text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.reserved_brands b where app.brand_key(b.name) = app.brand_key(words))
    and not app.is_admin_or_service()
$$;

-- Ends the hold on a name that is over, or that is the account's own. Its owner gets the place in the quota back.
create function app.end_hold(held text, account uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  ended app.names;
begin
  delete from app.names n where n.name = held and n.released_at is not null
    and (n.owner_id = account or n.released_at < now() - app.name_hold())
    returning * into ended;
  if ended.kind in ('link', 'alias') then
    update app.user_usage u set
      total_shortened_urls = greatest(u.total_shortened_urls - (ended.kind = 'link')::integer, 0),
      total_custom_codes = greatest(u.total_custom_codes - ended.is_custom::integer, 0)
    where u.user_id = ended.owner_id;
  end if;
end $$;

-- Ends up to `max_names` holds that are over; the server calls it now and then, until it answers less.
create function app.end_old_holds(max_names integer) returns bigint
language sql volatile security definer set search_path = '' as $$
  with ended as materialized (
    select app.end_hold(old.name, null) from (
      select n.name from app.names n where n.released_at < now() - app.name_hold()
      order by n.released_at limit max_names for update skip locked) old
  )
  select count(*) from ended
$$;

-- Claims a name for a link or a bio page: one insert. False when another account has it, or had it in the last 30 days,
-- and for the name of a brand.
create function app.claim_name(wanted text, wanted_kind text, account uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  if app.is_reserved_brand(app.name_in(wanted)) then return false; end if;
  perform app.end_hold(wanted, account);
  insert into app.names (name, kind, owner_id) values (wanted, wanted_kind, account) on conflict do nothing;
  return found;
end $$;

-- Releases or holds the name of a deleted link or page.
create function app.release_name(released text, was_visited boolean, custom boolean) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if was_visited then
    update app.names n set released_at = now(), is_custom = custom where n.name = released and n.kind <> 'reserved';
  else
    delete from app.names n where n.name = released and n.kind <> 'reserved';
  end if;
end $$;

-- The code of the link that a code leads to: itself, unless it is an alias.
create function app.link_code(code text) returns text
language sql stable security definer set search_path = '' as $$
  select coalesce((select n.alias_of from app.names n where n.name = code), code)
$$;

create policy visits_read on app.names for select to hoplet_visits using (true);
create policy worker_all on app.names to hoplet_worker using (true) with check (true);

-- Fails as the CHECK does, so that a client that asks for the constraint's name gets the same.
create function app.check_destination() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not app.is_destination(new.original_url) then
    raise check_violation using schema = 'app', table = 'shortened_urls', constraint = 'shortened_urls_destination',
      message = 'new row for relation "shortened_urls" violates check constraint "shortened_urls_destination"';
  end if;
  return new;
end $$;
create trigger check_destination before insert or update of original_url on app.shortened_urls
  for each row execute function app.check_destination();

-- Options: an empty text is none, and addresses meet the rules of destinations. The hash of a password moves to a
-- column that no API role reads. One that an upsert gives stays in place for the update that follows, because that
-- reads it from here.
create function app.before_link_options() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.title := nullif(app.trimmed(new.title), '');
  new.note := nullif(new.note, '');
  new.fallback_url := nullif(new.fallback_url, '');
  new.preview_title := nullif(app.trimmed(new.preview_title), '');
  new.preview_description := nullif(app.trimmed(new.preview_description), '');
  new.preview_image_url := nullif(new.preview_image_url, '');
  if not app.is_destination(new.fallback_url) then
    raise check_violation using message = 'Invalid URL',
      detail = 'The fallback address must start with http:// or https://';
  end if;
  perform app.refuse_own_host(new.fallback_url);
  if not app.is_image_address(new.preview_image_url) then
    raise check_violation using message = 'Invalid URL',
      detail = 'The preview image is an https address of a PNG, JPEG or WebP file, or an uploaded one';
  end if;
  return new;
end $$;
create trigger before_options before insert or update of title, note, fallback_url, preview_title, preview_description,
  preview_image_url on app.shortened_urls
  for each row execute function app.before_link_options();

-- The table door hashes passwords before they reach a statement.
create function app.refuse_plain_password(_hash text, _constraint text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if _hash !~ '^(sha384:)?\$2[aby]\$\d\d\$' then
    raise check_violation using message = 'A password has to be hashed', constraint = _constraint;
  end if;
end $$;

create function app.take_link_password() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' and new.password <> '' and exists (select from app.shortened_urls s where s.id = new.id
      or (s.user_id = new.user_id and s.external_id = new.external_id)) then
    return new;
  end if;
  new.password_hash := nullif(new.password, '');
  perform app.refuse_plain_password(new.password_hash, 'shortened_urls_password_hash');
  new.password_version := case when new.password_hash is not null then gen_random_uuid() end;
  new.password := null;
  return new;
end $$;
create trigger take_password before insert or update of password on app.shortened_urls
  for each row execute function app.take_link_password();

-- Tags of a link by name: unknown ones are made, and a known one keeps its spelling.
create function app.before_link_tags() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  wanted text[] := array(select t.name from (
    select distinct on (lower(btrim(w.name))) btrim(w.name) as name, w.place
    from unnest(new.tags) with ordinality as w (name, place) order by lower(btrim(w.name)), w.place) t
    where t.name is not null order by t.place);
begin
  if wanted = '{}' then
    new.tags := wanted;
    return new;
  end if;
  if cardinality(wanted) > 20 then
    raise check_violation using message = 'A link has at most 20 tags';
  end if;
  insert into app.tags (user_id, name)
    select new.user_id, w.name from unnest(wanted) as w (name)
      where not exists (select from app.tags t where t.user_id = new.user_id and lower(t.name) = lower(w.name))
      order by lower(w.name)
    on conflict do nothing;
  new.tags := array(select t.name from unnest(wanted) with ordinality as w (name, place)
    join app.tags t on t.user_id = new.user_id and lower(t.name) = lower(w.name) order by w.place);
  return new;
end $$;
-- After the others by its name: the owner is checked before tags are made. Not for a tag that changes on all of its links.
create trigger tags before insert or update of tags on app.shortened_urls
  for each row when (pg_trigger_depth() = 0) execute function app.before_link_tags();

create function app.before_tag_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.color = '' then
    new.color := ('{#2563eb,#16a34a,#d97706,#dc2626,#7c3aed,#0891b2,#db2777,#65a30d}'::text[])[
      1 + (select count(*) from app.tags t where t.user_id = new.user_id) % 8];
  end if;
  return new;
end $$;
create trigger before_insert before insert on app.tags for each row execute function app.before_tag_insert();
create trigger limit_tags after insert on app.tags
  for each row execute function app.limit_rows_of_account('200', 'tags');
create trigger trim before insert or update of name on app.utm_templates
  for each row execute function app.trim_texts('name');
create trigger limit_templates after insert on app.utm_templates
  for each row execute function app.limit_rows_of_account('100', 'UTM templates');

-- A tag that is renamed or deleted changes on its links too.
create function app.after_tag_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    update app.shortened_urls s set tags = array_remove(s.tags, old.name)
      where s.user_id = old.user_id and s.tags <> '{}' and s.tags @> array[old.name];
  else
    update app.shortened_urls s set tags = array_replace(s.tags, old.name, new.name)
      where s.user_id = old.user_id and s.tags <> '{}' and s.tags @> array[old.name];
  end if;
  return null;
end $$;
create trigger after_rename after update of name on app.tags
  for each row when (old.name <> new.name) execute function app.after_tag_change();
create trigger after_delete after delete on app.tags for each row execute function app.after_tag_change();

create policy service_all on app.tags to service_role using (true) with check (true);
create policy own_all on app.tags to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy service_all on app.utm_templates to service_role using (true) with check (true);
create policy own_all on app.utm_templates to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));

create view api.tags with (security_invoker = true) as select id, user_id, name, color, created_at from app.tags;
create view api.utm_templates with (security_invoker = true) as
  select id, user_id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content, created_at
  from app.utm_templates;
comment on view api.tags is 'Tags of your links.';
comment on view api.utm_templates is 'Campaigns that you use again.';
grant select, insert, update, delete on api.tags, api.utm_templates to authenticated, service_role;

-- Six base-36 characters from 56 random bits of a version 4 UUID (the bias is below 2^-24).
create function app.random_code() returns text
language plpgsql volatile set search_path = '' as $$
declare
  bytes bytea := uuid_send(gen_random_uuid());
  n bigint := 0;
  code text := '';
begin
  -- Bytes 9 to 15 hold no version or variant bits: 56 random bits.
  for i in 9..15 loop n := n * 256 + get_byte(bytes, i); end loop;
  for i in 1..6 loop
    code := code || substr('0123456789abcdefghijklmnopqrstuvwxyz', (n % 36)::integer + 1, 1);
    n := n / 36;
  end loop;
  return code;
end $$;

-- The place of a new link or page: the beginning of its key, and the host that it shows. Null is the account's default domain, or
-- else the own host; '' and a host of this server are the own host. Links may wait on a domain that is not verified yet: a team moves
-- its domain when they are all here.
create function app.place_of(_account uuid, inout host text, out prefix text)
language plpgsql stable security definer set search_path = '' as $$
declare
  wanted text := regexp_replace(lower(app.trimmed(host)), '\.$', '');
  hosts constant text[] := app.key_domains();
  found_domain app.domains;
begin
  prefix := '';
  host := null;
  -- A key that is limited has its first domain as the default.
  if hosts is not null then wanted := coalesce(wanted, hosts[1]); end if;
  if wanted is null then
    select d.* into found_domain from app.domains d where d.user_id = _account and d.is_default and d.is_served;
  elsif wanted <> '' and not app.is_own_host(wanted) then
    select d.* into found_domain from app.domains d where d.user_id = _account and d.host = wanted;
    if not found then
      raise check_violation using message = 'Unknown Domain', detail = 'This domain is not one of yours.';
    end if;
  end if;
  if found_domain.id is not null then
    host := found_domain.host;
    prefix := found_domain.id || '/';
  end if;
  if coalesce(host, '') <> all (hosts) then
    raise insufficient_privilege using message = 'This API key is limited to other domains.';
  end if;
end $$;

-- A key on the own host or a domain, of which it has the beginning. Refuses the names of paths that a domain serves.
create function app.key_on(prefix text, name text) returns text
language plpgsql immutable security definer set search_path = '' as $$
begin
  if prefix <> '' and name = any (app.reserved_on_domains()) then
    raise unique_violation using message = 'Code Already Taken', constraint = 'shortened_urls_short_code_key',
      detail = 'This custom code is already in use. Please try another one.';
  end if;
  return prefix || name;
end $$;

-- A custom code in lower case. It is checked before, because lower() turns some foreign letters into ASCII ones.
create function app.valid_code(code text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if coalesce(code, '') !~ '^[A-Za-z0-9_-]{3,50}$' then
    raise check_violation using message = 'Invalid Custom Code',
      detail = case when coalesce(code, '') ~ '^[A-Za-z0-9_-]*$' then 'Custom code must be between 3 and 50 characters'
        else 'Only letters, numbers, hyphens, and underscores are allowed' end;
  end if;
  return lower(code);
end $$;

create function app.before_link_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  place record;
  present app.shortened_urls;
begin
  new.short_code := nullif(new.short_code, '');
  new.is_custom := new.short_code is not null;
  new.click_count := 0;
  if current_setting('hoplet.import', true) = 'on' then
    new.clicks_before := nullif(current_setting('hoplet.clicks_before', true), '')::bigint;
  end if;
  -- Row security says the same, but only after this trigger: a foreign id must not even learn that person's limits.
  if new.user_id <> app.current_user_id() then
    raise insufficient_privilege
      using message = 'new row violates row-level security policy for table "shortened_urls"';
  end if;
  perform app.refuse_own_host(new.original_url);
  select * into place from app.place_of(new.user_id, new.domain);
  if new.is_custom then new.short_code := app.key_on(place.prefix, app.valid_code(new.short_code)); end if;
  -- The counter row comes before the name, here and in a deletion, so that two transactions never wait in a circle.
  perform app.lock_usage(new.user_id);
  if new.external_id is not null then
    -- The link is there: an upsert changes it, and anything else fails for it. So nothing is charged and no name is
    -- claimed.
    select * into present from app.shortened_urls s
      where s.user_id = new.user_id and s.external_id = new.external_id for update;
    if found then
      new.short_code := coalesce(case when new.domain is null then app.prefix_in(present.short_code) || app.name_in(new.short_code)
        else new.short_code end, app.random_code());
      new.domain := case when new.domain is null then present.domain else place.host end;
      return new;
    end if;
  end if;
  new.domain := place.host;
  -- One's own deleted code comes back with its place.
  if new.is_custom then perform app.end_hold(new.short_code, new.user_id); end if;
  if not app.charge(new.user_id, true, new.is_custom) then
    new.charged_at := '-infinity';
  elsif new.created_at <> now() then
    new.charged_at := now();
  -- A create that waited for a new plan was charged to it, so it was made after it.
  else
    new.created_at := greatest(new.created_at,
      (select u.daily_since from app.user_usage u where u.user_id = new.user_id));
  end if;
  if new.is_custom then
    if not app.claim_name(new.short_code, 'link', new.user_id) then
      raise unique_violation using message = 'Code Already Taken', constraint = 'shortened_urls_short_code_key',
        detail = 'This custom code is already in use. Please try another one.';
    end if;
  else
    loop
      new.short_code := place.prefix || app.random_code();
      exit when app.claim_name(new.short_code, 'link', new.user_id);
    end loop;
  end if;
  return new;
end $$;
create trigger before_insert before insert on app.shortened_urls
  for each row execute function app.before_link_insert();

create function app.before_link_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Programs see the name of a key, and its domain apart.
  if new.short_code = app.name_in(old.short_code) then new.short_code := old.short_code; end if;
  if new.user_id <> old.user_id and coalesce(current_setting('hoplet.import', true), '') <> 'move'
    or new.domain is distinct from old.domain or new.short_code <> old.short_code
      and current_setting('hoplet.renamed_link', true) is distinct from new.id::text then
    raise check_violation using message = 'A link keeps its short code and its owner.',
      hint = 'rename_link gives a link another code, move_links another owner';
  end if;
  if new.original_url <> old.original_url then perform app.refuse_own_host(new.original_url); end if;
  if not new.show_popup then new.popup_id := null; end if;
  return new;
end $$;
create trigger before_update before update of short_code, domain, user_id, original_url, show_popup, popup_id
  on app.shortened_urls
  for each row execute function app.before_link_update();
create trigger refuse_blocked_host before insert or update of original_url on app.shortened_urls
  for each row execute function app.refuse_blocked_host('original_url');
create trigger refuse_blocked_fallback before insert or update of fallback_url on app.shortened_urls
  for each row execute function app.refuse_blocked_host('fallback_url', 'The host of the fallback address is blocked here.');

-- The triggers of a deleted link leave those of a deleted account to app.before_account_delete: hence their depth.

-- A deleted link gives back its place in the totals, and today's place if it was made today (app.limit_message promises
-- that), and only to the plan that gave it. The place of a link that was visited comes back when its name is free.
create function app.after_link_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  was_visited boolean := old.click_count > 0;
  charged_at timestamptz := coalesce(old.charged_at, old.created_at);
  made_today integer := (charged_at >= app.today()::timestamp at time zone 'utc')::integer;
begin
  if charged_at = '-infinity' then
    -- It took no place, but its name does while it is held.
    update app.user_usage u set total_shortened_urls = u.total_shortened_urls + 1,
      total_custom_codes = u.total_custom_codes + old.is_custom::integer
    where u.user_id = old.user_id and was_visited;
  elsif not was_visited then
    update app.user_usage u set
      total_shortened_urls = greatest(u.total_shortened_urls - 1, 0),
      total_custom_codes = greatest(u.total_custom_codes - old.is_custom::integer, 0),
      daily_shortened_urls = case when u.day = app.today() and charged_at >= coalesce(u.daily_since, '-infinity')
        then greatest(u.daily_shortened_urls - made_today, 0) else u.daily_shortened_urls end,
      daily_custom_codes = case when u.day = app.today() and charged_at >= coalesce(u.daily_since, '-infinity')
        then greatest(u.daily_custom_codes - made_today * old.is_custom::integer, 0) else u.daily_custom_codes end
    where u.user_id = old.user_id;
  end if;
  perform app.release_name(old.short_code, was_visited, old.is_custom);
  return old;
end $$;
create trigger after_delete after delete on app.shortened_urls
  for each row when (pg_trigger_depth() = 0) execute function app.after_link_delete();

create function app.keep_link_history() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into app.link_history (link_id, changed_by, from_url) values (new.id, app.person_id(), old.original_url);
  delete from app.link_history h where h.link_id = new.id
    and h.id <= (select k.id from app.link_history k where k.link_id = new.id order by k.id desc offset 50 limit 1);
  return null;
end $$;
create trigger keep_history after update of original_url on app.shortened_urls
  for each row when (old.original_url is distinct from new.original_url) execute function app.keep_link_history();

-- A deleted link gives up its former codes.
create function app.before_link_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.free_alias(n, old.click_count > 0) from app.names n where n.alias_of = old.short_code;
  return old;
end $$;
create trigger before_delete before delete on app.shortened_urls
  for each row when (pg_trigger_depth() = 0) execute function app.before_link_delete();

-- Each code of a link is a name in the caches.
create function app.notify_link() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  code text := coalesce(new.short_code, old.short_code);
begin
  perform pg_notify('hoplet_names', code);
  perform pg_notify('hoplet_names', n.name) from app.names n where n.alias_of = code;
  if tg_op = 'INSERT' and new.title is null then
    perform pg_notify('hoplet_untitled', new.user_id || ':' || new.id);
  end if;
  return null;
end $$;
create trigger notify after insert or delete on app.shortened_urls
  for each row when (pg_trigger_depth() = 0) execute function app.notify_link();
-- Only counting changes click_count. Every other update changes the link itself; a link with a maximum of clicks changes
-- with each count.
create trigger notify_change after update on app.shortened_urls
  for each row when ((old.click_count = new.click_count or new.max_clicks is not null) and old.* is distinct from new.*)
  execute function app.notify_link();

create policy service_all on app.shortened_urls to service_role using (true) with check (true);
-- Former codes of the caller's link; null for anybody else.
create function app.aliases_of(code text, owner uuid) returns text[]
language sql stable security definer set search_path = '' as $$
  select case when owner = app.current_user_id() or app.is_admin_or_service()
    then array(select app.name_in(n.name) from app.names n where n.alias_of = code order by n.name) end
$$;

-- The public look-up hides links that are off, blocked, not started, ended, or behind a password.
-- With `is null or`, the planner sees that these options are rare; of a coalesce it expects that half of the rows fail.
create policy look_up on app.shortened_urls for select to anon
  using (short_code = (select app.lookup_key('shortened_urls')) and not is_disabled and password_version is null
    and (starts_at is null or starts_at <= now()) and (ends_at is null or ends_at > now())
    and (max_clicks is null or click_count < max_clicks)
    and app.block_of(short_code, user_id, original_url) is null);
-- An API key may be limited to some domains.
create policy key_domains on app.shortened_urls as restrictive to authenticated
  using (((select app.key_domains()) is null or coalesce(domain, '') = any ((select app.key_domains())::text[])));
create policy own_or_look_up on app.shortened_urls for select to authenticated
  using (user_id = (select app.current_user_id()) or (app.is_looked_up('shortened_urls', short_code) and not is_disabled
    and password_version is null and (starts_at is null or starts_at <= now()) and (ends_at is null or ends_at > now())
    and (max_clicks is null or click_count < max_clicks)
    and app.block_of(short_code, user_id, original_url) is null));
create policy own_insert on app.shortened_urls for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy own_update on app.shortened_urls for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.shortened_urls for delete to authenticated
  using (user_id = (select app.current_user_id()));
create policy visits_read on app.shortened_urls for select to hoplet_visits using (true);
create policy worker_read on app.shortened_urls for select to hoplet_worker using (true);
create policy worker_update on app.shortened_urls for update to hoplet_worker using (true) with check (true);
create policy visits_all on app.click_segments to hoplet_visits using (true) with check (true);

-- The key of a destination in app.destination_checks.
create function app.address_hash(_url text) returns bytea
language sql stable parallel safe
return sha256(convert_to(_url, 'UTF8'));

-- The finding of the last check of a destination of the caller's (29_checks_and_mails.sql); null for anybody else.
create function app.finding_of(url text, owner uuid) returns text
language sql stable security definer set search_path = '' as $$
  select c.finding from app.destination_checks c
  where (owner = app.current_user_id() or app.is_admin_or_service())
    and c.user_id = owner and c.address_hash = app.address_hash(url)
$$;

create view api.shortened_urls with (security_invoker = true) as
  select id, user_id, short_code, original_url, show_popup, popup_id,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin_or_service()))
      then click_count end as click_count,
    created_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin_or_service()))
      then first_click_at end as first_click_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin_or_service()))
      then last_click_at end as last_click_at,
    -- Whether visitors are told that the link is blocked.
    case when user_id = (select app.current_user_id()) or (select app.is_admin_or_service())
      then app.block_of(short_code, user_id, original_url) is not null end as is_blocked,
    external_id,
    is_disabled,
    title, note, tags, archived_at, starts_at, ends_at, max_clicks, fallback_url, password,
    password_version is not null as has_password,
    forward_query, forward_overrides, redirect_status, preview_title, preview_description, preview_image_url,
    show_preview_page, rules_version,
    app.aliases_of(short_code, user_id) as aliases,
    former_url,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin_or_service()))
      then clicks_before end as clicks_before,
    app.finding_of(original_url, user_id) as destination_finding,
    domain
  from app.shortened_urls;

comment on column api.shortened_urls.short_code is '@hasDefault';
comment on column api.shortened_urls.has_password is '@notNull';

-- Where a link led before, newest change first: [{changed_at, changed_by, changed_by_name, from_url, to_url, moved}]. Members
-- of a space have a name. `moved` is {from, to, from_name, to_name}, the accounts of a link that changed hands, and null
-- otherwise. For its owner and for admins; empty for anyone else.
create function api.link_history(_short_code text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('changed_at', c.changed_at, 'changed_by', c.changed_by,
    'changed_by_name', (app.member_facts(c.user_id, c.changed_by)).display_name,
    'from_url', c.from_url, 'to_url', c.to_url, 'moved', case when c.moved_to is not null then jsonb_build_object(
      'from', c.moved_from, 'to', c.moved_to, 'from_name', app.space_name(c.moved_from), 'to_name', app.space_name(c.moved_to))
      end) order by c.id desc), '[]')
  from (
    select h.*, s.user_id, coalesce(lag(h.from_url) over (order by h.id desc), s.original_url) as to_url
    from app.shortened_urls s join app.link_history h on h.link_id = s.id
    where s.short_code = app.link_code(app.key_of(_short_code))
      and (s.user_id = app.current_user_id() or app.is_admin_or_service())) c
$$;

-- The caller's links that a block hits: found from the blocks, which are few.
create function app.blocked_links(owner uuid) returns setof uuid
language sql stable security definer set search_path = '' as $$
  select s.id from app.blocks b join app.shortened_urls s on s.short_code = b.value
    where b.kind = 'link' and s.user_id = owner
  union
  select s.id from app.blocks b join app.shortened_urls s
      on app.host_key(s.original_url) collate "C" >= reverse(b.value) || '.'
        and app.host_key(s.original_url) collate "C" < reverse(b.value) || '/'
    where b.kind = 'host' and s.user_id = owner
$$;

-- A page of the caller's links: `_sort` is 'newest', 'oldest', 'code' or 'clicks'; `_search` holds texts, one in each
-- line, of which the code, the destination or the title holds any, or which is the host and code of a link;
-- `_after` is the last row of the page before, with its id, created_at, short_code and, for 'clicks', click_count;
-- `_tags` and `_tag` are tags, of which a link has any, in any case; '' finds links without one. `_domain` is a host, '' that of this server.
-- How many rows match, the planner cannot know. So the next 2,000 in the order are looked through first, which fill a
-- page when matches are common; only for rare ones we go on, by the index that fits them. No index has the order of
-- clicks, see above: there all rows of the owner are read.
create function api.list_links(_search text default '', _sort text default 'newest', _with_popup boolean default false,
  _never_clicked boolean default false, _blocked boolean default false, _after jsonb default null,
  _limit integer default 50, _archived boolean default false, _tag text default null, _tags text[] default null, _off boolean default false,
  _domain text default null)
returns setof api.shortened_urls
language plpgsql stable security definer set search_path = '' as $$
declare
  me uuid := app.current_user_id();
  max_rows integer := least(greatest(coalesce(_limit, 50), 1), 1000);
  -- The caller's spellings of the tags asked for; null when none are asked for.
  any_tag text[] := (select array(select t.name from app.tags t where t.user_id = me
      and lower(t.name) in (select lower(btrim(w)) from unnest(a.names) w))
    from (select nullif(case when _tag is null then _tags else array_append(_tags, _tag) end, '{}') as names) a
    where a.names is not null);
  untagged boolean := '' = any (coalesce(_tags, '{}')) or coalesce(_tag = '', false);
  patterns text[] := array(
    select '%' || regexp_replace(left(line, 200), '([\\%_])', '\\\1', 'g') || '%'
    from unnest(string_to_array(_search, E'\n')) as line where line <> '' limit 10);
  named text[] := array(select app.key_of(line) from unnest(string_to_array(_search, E'\n')) as line
    where line ~ '^[^/\s]{1,255}/[^/\s]+$' limit 10);
  wanted text := concat_ws(' and ', 'true',
    case when patterns <> '{}' then
      $q$((s.short_code || E'\n' || s.original_url || E'\n' || coalesce(s.title, '')) ilike any ($3)
        or (s.former_url is not null and s.former_url ilike any ($3))$q$
        || case when named <> '{}' then ' or s.short_code = any ($10)' else '' end || ')' end,
    case when _with_popup then 's.show_popup' end,
    case when _never_clicked then 's.click_count = 0' end,
    case when _blocked then 's.id in (select app.blocked_links($1))' end,
    case when _off then 's.is_disabled' end,
    case when app.is_own_host(_domain) then 's.domain is null' when _domain is not null then 's.domain = lower($9)' end,
    case when _archived then 's.archived_at is not null' when _archived is false then 's.archived_at is null' end,
    case when untagged then $q$(s.tags = '{}' or s.tags && $8)$q$
      when any_tag is not null then $q$s.tags <> '{}' and s.tags && $8$q$ end);
  place text;
  places text;
  page text;
  edge record;
  found_so_far integer;
begin
  case _sort
    when 'newest' then places := 's.created_at desc, s.id desc'; place := '(s.created_at, s.id) < ($4, $5)';
    when 'oldest' then places := 's.created_at, s.id'; place := '(s.created_at, s.id) > ($4, $5)';
    when 'code' then places := 's.short_code collate "C"'; place := 's.short_code collate "C" > $6';
    when 'clicks' then places := 's.click_count desc, s.created_at desc, s.id desc';
      place := '(s.click_count, s.created_at, s.id) < ($7, $4, $5)';
    else raise invalid_parameter_value using message = 'unknown _sort';
  end case;
  if (_sort = 'clicks' or _never_clicked) and not app.sees_counts() then
    raise insufficient_privilege using message = 'permission denied: this plan does not show click counts';
  end if;
  select r.* into edge from jsonb_to_record(coalesce(_after, '{}'))
    as r (created_at timestamptz, id uuid, short_code text, click_count bigint);
  -- The row has the name alone, but its key has the place.
  if _sort = 'code' then
    edge.short_code := coalesce(
      (select s.short_code from app.shortened_urls s where s.id = edge.id and s.user_id = me), edge.short_code);
  end if;
  page := 'select l.* from (%s) s join api.shortened_urls l on l.id = s.id order by ' || places;

  if _sort <> 'clicks' then
    return query execute format(page, format(
      'select s.* from (select s.* from app.shortened_urls s where s.user_id = $1 and %1$s order by %2$s limit 2000) s
        where %3$s order by %2$s limit $2', case when _after is null then 'true' else place end, places, wanted))
      using me, max_rows, patterns, edge.created_at, edge.id, edge.short_code, edge.click_count, any_tag, _domain, named;
    get diagnostics found_so_far = row_count;
    if found_so_far >= max_rows then return; end if;
    execute format('select s.created_at, s.id, s.short_code, s.click_count from app.shortened_urls s
      where s.user_id = $1 and %s order by %s offset 1999 limit 1',
      case when _after is null then 'true' else place end, places)
      into edge using me, max_rows, patterns, edge.created_at, edge.id, edge.short_code;
    if edge.id is null then return; end if;
    max_rows := max_rows - found_so_far;
  end if;
  return query execute format(page, format(
    'select s.* from app.shortened_urls s where s.user_id = $1 and %s and %s order by %s limit $2',
    case when edge.id is null then 'true' else place end, wanted, places))
    using me, max_rows, patterns, edge.created_at, edge.id, edge.short_code, edge.click_count, any_tag, _domain, named;
end $$;

-- Which kinds the caller has, so that a screen offers only filters that find something.
create function api.link_kinds() returns jsonb
language sql stable security definer set search_path = '' as $$
  with me as (select app.current_user_id() as id)
  select jsonb_build_object(
    'off', exists (select from app.shortened_urls s where s.user_id = me.id and s.is_disabled),
    'blocked', exists (select from app.shortened_urls s where s.user_id = me.id and s.archived_at is null
      and s.id in (select app.blocked_links(me.id))),
    'archived', exists (select from app.shortened_urls s where s.user_id = me.id and s.archived_at is not null),
    'findings', exists (select from app.destination_checks c where c.user_id = me.id and c.finding is not null))
  from me
$$;

-- The caller's links with the text in code, destination or title, newest first, from a (created_at, id) cursor on.
create function api.search_links(_query text, _before_created_at timestamptz default null, _before_id uuid default null,
  _limit integer default 50) returns setof api.shortened_urls
language sql stable security definer set search_path = '' as $$
  select * from api.list_links(_search => translate(_query, E'\n', ' '), _archived => null, _limit => _limit,
    _after => case when _before_created_at is not null
      then jsonb_build_object('created_at', _before_created_at, 'id', _before_id) end)
$$;

-- The first three of these codes that an account could have on the host with keys that begin with `_prefix`.
create function app.free_codes(_account uuid, _codes text[], _prefix text default '') returns text[]
language sql stable security definer set search_path = '' as $$
  select array(select c.code from unnest(_codes) with ordinality as c (code, place)
    where c.code ~ '^[a-z0-9_-]{3,50}$' and not app.is_reserved_brand(c.code)
      and not (_prefix <> '' and c.code = any (app.reserved_on_domains()))
      and not exists (select from app.names t where t.name = _prefix || c.code and (t.released_at is null
        or (t.owner_id is distinct from _account and t.released_at >= now() - app.name_hold())))
    order by c.place limit 3)
$$;
grant execute on function app.free_codes(uuid, text[], text) to hoplet_worker;

-- The first code that the caller could have: the wanted one, or with -2 to -9 behind it; null when there is none. It
-- tells of one free name, as a visit to it does, and costs as much (server/tables/rules.ts). `_domain` is as in a new link.
create function api.free_code(_short_code text, _domain text default null) returns text
language sql stable security definer set search_path = '' as $$
  select (app.free_codes(app.current_user_id(), array(
    select case n when 1 then lower(_short_code) else left(lower(_short_code), 48) || '-' || n end
    from generate_series(1, 9) n), (app.place_of(app.current_user_id(), _domain)).prefix))[1]
$$;

-- The question for three free codes that are like a link; the server answers it (server/ai/suggest-codes.ts).
create function api.suggest_codes(_url text, _title text default '', _domain text default null) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('account', app.current_user_id(), 'person', app.person_id(), 'url', left(coalesce(_url, ''), 2048),
    'title', left(coalesce(_title, ''), 200), 'prefix', (app.place_of(app.current_user_id(), _domain)).prefix)
$$;
comment on function api.suggest_codes(text, text, text) is 'Up to three free codes for an address, from its title and path.';
grant execute on function api.suggest_codes(text, text, text) to authenticated;

-- Releases an alias: held for 30 days if its link was visited, else free at once, with its place among the custom codes.
create function app.free_alias(alias app.names, was_visited boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if was_visited then
    update app.names n set released_at = now(), alias_of = null where n.name = alias.name;
  else
    delete from app.names n where n.name = alias.name;
    update app.user_usage u set total_custom_codes = greatest(u.total_custom_codes - alias.is_custom::integer, 0)
      where u.user_id = alias.owner_id;
  end if;
  perform app.add_former_codes(array[alias.owner_id], array[alias.name]);
  perform pg_notify('hoplet_names', alias.name);
end $$;

-- Gives a link another code. The old one stays as an alias, and the new one takes a place among the custom codes;
-- one of its own aliases is free.
create function api.rename_link(_link uuid, _code text) returns setof api.shortened_urls
language plpgsql volatile security definer set search_path = '' as $$
declare
  link app.shortened_urls;
  wanted text := app.valid_code(_code);
  was_alias app.names;
begin
  perform app.lock_usage(app.current_user_id());
  select * into link from app.shortened_urls s where s.id = _link and s.user_id = app.current_user_id() for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'This link does not exist.';
  end if;
  wanted := app.key_on(app.prefix_in(link.short_code), wanted);
  if wanted = link.short_code then
    return query select l.* from api.shortened_urls l where l.id = _link;
    return;
  end if;
  if app.block_of(link.short_code, link.user_id, null) is not null then
    raise check_violation using message = 'A blocked link keeps its code.';
  end if;
  delete from app.names n where n.name = wanted and n.alias_of = link.short_code returning * into was_alias;
  if was_alias.name is null then
    if (select count(*) from app.names n where n.alias_of = link.short_code) >= 5 then
      raise check_violation using message = 'A link has at most 5 former codes. Please release one first.';
    end if;
    perform app.end_hold(wanted, link.user_id);
    perform app.charge(link.user_id, false, true);
    if not app.claim_name(wanted, 'link', link.user_id) then
      raise unique_violation using message = 'Code Already Taken', constraint = 'shortened_urls_short_code_key',
        detail = 'This custom code is already in use. Please try another one.';
    end if;
  else
    insert into app.names (name, kind, owner_id) values (wanted, 'link', link.user_id);
  end if;
  perform set_config('hoplet.renamed_link', _link::text, true);
  update app.shortened_urls s set short_code = wanted, is_custom = coalesce(was_alias.is_custom, true)
    where s.id = _link;
  perform set_config('hoplet.renamed_link', '', true);
  update app.names n set kind = 'alias', alias_of = wanted, is_custom = link.is_custom where n.name = link.short_code;
  perform pg_notify('hoplet_names', link.short_code);
  return query select l.* from api.shortened_urls l where l.id = _link;
end $$;

-- Ends an alias of the caller: visitors no longer get to the link by it.
create function api.release_alias(_code text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  alias app.names;
begin
  perform app.lock_usage(app.current_user_id());
  select * into alias from app.names n
    where n.name = app.key_of(_code) and n.alias_of is not null and n.owner_id = app.current_user_id() for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'This is not a former code of a link of yours.';
  end if;
  perform app.free_alias(alias, (select s.click_count > 0 from app.shortened_urls s where s.short_code = alias.alias_of));
end $$;

comment on function api.rename_link(uuid, text) is
  'Gives a link another code; the former one leads on until it is released.';
comment on function api.release_alias(text) is 'Ends a former code of a link of yours.';
grant execute on function api.rename_link(uuid, text), api.release_alias(text) to authenticated;
grant execute on function app.aliases_of(text, uuid), app.finding_of(text, uuid) to anon, authenticated, service_role;

comment on view api.shortened_urls is 'Links. Everyone may look one up by its short_code; lists are of your own.';
comment on function api.search_links(text, timestamptz, uuid, integer) is
  'Your links whose code or destination contains a text, the newest first.';
comment on function api.link_history(text) is 'Where a link of yours led before.';

grant execute on function
  api.free_code(text, text), api.link_kinds(),
  api.list_links(text, text, boolean, boolean, boolean, jsonb, integer, boolean, text, text[], boolean, text)
  to authenticated;
grant execute on function
  api.link_history(text), api.search_links(text, timestamptz, uuid, integer)
  to authenticated, service_role;
grant execute on function app.end_old_holds(integer) to hoplet_worker;

grant select, insert, update, delete on api.shortened_urls to authenticated, service_role;

grant select (id, short_code, original_url, popup_id, click_count, domain) on api.shortened_urls to anon;

comment on function api.link_kinds() is 'Whether any link of yours is off, blocked or archived, or has a destination with a finding.';
comment on function api.free_code(text, text) is 'A free code that is like the given one.';
comment on function api.list_links(text, text, boolean, boolean, boolean, jsonb, integer, boolean, text, text[], boolean, text) is
  'A page of your links, searched, sorted and filtered.';
