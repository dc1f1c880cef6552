-- What clients can name: views that run with the caller's own rights, and functions. Names and columns are the
-- specification's.

create view api.profiles with (security_invoker = true) as
  select id, email, display_name, created_at from app.profiles;
create view api.user_plans with (security_invoker = true) as
  select user_id, plan_type from app.user_plans;
create view api.user_roles with (security_invoker = true) as
  select user_id, role from app.user_roles;

-- Yesterday's daily counters are 0 today.
create view api.user_usage with (security_invoker = true) as
  select user_id, total_custom_codes, total_shortened_urls,
    case when day = app.usage_day(day) then daily_custom_codes else 0 end as daily_custom_codes,
    case when day = app.usage_day(day) then daily_shortened_urls else 0 end as daily_shortened_urls,
    case when day = app.usage_day(day) then daily_qr_codes else 0 end as daily_qr_codes
  from app.user_usage;

-- A count is null for everyone but an owner whose plan shows it, and admins. Writing it is refused: it is an expression.
create view api.shortened_urls with (security_invoker = true) as
  select id, user_id, short_code, original_url, show_popup, popup_id,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count,
    created_at
  from app.shortened_urls;

create view api.popups with (security_invoker = true) as
  select id, user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style, created_at
  from app.popups;

create view api.bio_pages with (security_invoker = true) as
  select id, user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then visit_count end as visit_count,
    case when user_id = (select app.current_user_id()) or (select app.claims() ->> 'role') = 'service_role'
      then app.bio_page_version(id) end as version
  from app.bio_pages;
create view api.bio_links with (security_invoker = true) as
  select id, bio_page_id, title, url, link_order,
    case when (select app.sees_counts())
        and (app.owns_bio_page(bio_page_id) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count
  from app.bio_links;
create view api.bio_social_links with (security_invoker = true) as
  select id, bio_page_id, platform, url, display_order from app.bio_social_links;

-- Money is kept in cents and shown in dollars.
create view api.affiliate_codes with (security_invoker = true) as
  select user_id, code, total_referrals, round(total_earnings_cents / 100.0, 2) as total_earnings from app.affiliate_codes;
create view api.commissions with (security_invoker = true) as
  select id, affiliate_user_id, round(amount_cents / 100.0, 2) as amount, tier, status, created_at from app.commissions;

-- What PostgreSQL cannot know of these columns, for the types that scripts/database-types.ts generates: an expression that
-- is never null, and a column that a trigger fills when an insert leaves it out.
comment on column api.user_usage.daily_custom_codes is '@notNull';
comment on column api.user_usage.daily_shortened_urls is '@notNull';
comment on column api.user_usage.daily_qr_codes is '@notNull';
comment on column api.affiliate_codes.total_earnings is '@notNull';
comment on column api.commissions.amount is '@notNull';
comment on column api.shortened_urls.short_code is '@hasDefault';

grant select on all tables in schema api to service_role, authenticated;
grant insert, update, delete on api.profiles, api.user_plans, api.user_roles, api.shortened_urls, api.popups,
  api.bio_pages, api.bio_links, api.bio_social_links, api.affiliate_codes to service_role, authenticated;
grant select (id, short_code, original_url, popup_id, click_count) on api.shortened_urls to anon;
grant select (id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
  button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
  border_radius, font_style, shadow_style, created_at) on api.popups to anon;
grant select (id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, visit_count)
  on api.bio_pages to anon;
grant select on api.bio_links, api.bio_social_links to anon;

-- The caller may speak for this account only; anything else is 42501, which the table door answers as 403.
create function app.require_self(account uuid) returns void
language plpgsql stable set search_path = '' as $$
begin
  if app.claims() ->> 'role' = 'service_role' then return; end if;
  if account is null or account is distinct from app.current_user_id() then
    raise insufficient_privilege using message = 'permission denied: this is not your account';
  end if;
end $$;

-- The five procedures that the specification names.

-- Advice before a create: {canCreate, limit, current, limitType, plan}. The insert itself enforces the limit.
create function api.can_create_url(_user_id uuid, _is_custom boolean default false) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  plan text := app.plan_of(_user_id);
  limits record;
  used record;
  link_count integer;
  custom_count integer;
begin
  perform app.require_self(_user_id);
  select * into limits from app.plan_limits(plan);
  select u.*, u.day = app.usage_day(u.day) as fresh into used from app.user_usage u where u.user_id = _user_id;
  if limits.limit_type = 'daily' then
    link_count := case when used.fresh then used.daily_shortened_urls else 0 end;
    custom_count := case when used.fresh then used.daily_custom_codes else 0 end;
  else
    link_count := coalesce(used.total_shortened_urls, 0);
    custom_count := coalesce(used.total_custom_codes, 0);
  end if;
  -- A custom code is a shortened URL as well: whichever limit is in the way is the one to tell.
  if coalesce(_is_custom, false) and (custom_count >= limits.custom_codes or link_count < limits.shortened_urls) then
    return jsonb_build_object('canCreate', custom_count < limits.custom_codes, 'limit', limits.custom_codes,
      'current', custom_count, 'limitType', limits.limit_type, 'plan', plan, 'kind', 'custom');
  end if;
  return jsonb_build_object('canCreate', link_count < limits.shortened_urls, 'limit', limits.shortened_urls,
    'current', link_count, 'limitType', limits.limit_type, 'plan', plan, 'kind', 'url');
end $$;

-- The charge was made with the insert; this recounts from the rows (from the start of the day with the plan on), so that
-- calling it never charges twice. It gives nothing back either: a deletion does that. The totals of a person with very
-- many links are left to the triggers, so that every call costs about the same.
create function api.increment_url_usage(_user_id uuid, _is_custom boolean default false) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  since timestamptz;
  counted record;
begin
  perform app.require_self(_user_id);
  select greatest(app.today()::timestamp at time zone 'utc', u.daily_since) into since
    from app.user_usage u where u.user_id = _user_id for update;
  select count(*) as links, count(*) filter (where s.is_custom) as customs into counted
    from app.shortened_urls s where s.user_id = _user_id and s.created_at >= since;
  update app.user_usage u set
    daily_shortened_urls = greatest(counted.links, case when u.day = app.usage_day(u.day) then u.daily_shortened_urls else 0 end),
    daily_custom_codes = greatest(counted.customs, case when u.day = app.usage_day(u.day) then u.daily_custom_codes else 0 end),
    daily_qr_codes = case when u.day = app.usage_day(u.day) then u.daily_qr_codes else 0 end,
    day = app.usage_day(u.day)
  where u.user_id = _user_id;
  select count(*) as links, count(*) filter (where s.is_custom) as customs into counted
    from (select l.is_custom from app.shortened_urls l where l.user_id = _user_id limit 1001) s;
  if counted.links <= 1000 then
    update app.user_usage u set total_shortened_urls = greatest(counted.links, u.total_shortened_urls),
      total_custom_codes = greatest(counted.customs, u.total_custom_codes)
    where u.user_id = _user_id;
  end if;
end $$;

-- Checks and counts one QR download: {allowed, limit, current}. The free plan is neither checked nor counted.
create function api.increment_qr_usage(_user_id uuid) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  plan text := app.plan_of(_user_id);
  max_codes integer;
  used integer;
begin
  perform app.require_self(_user_id);
  select l.qr_codes into max_codes from app.plan_limits(plan) l;
  if plan = 'free' then
    return jsonb_build_object('allowed', true, 'limit', max_codes, 'current', 0, 'plan', plan);
  end if;
  update app.user_usage u set
    daily_qr_codes = case when u.day = app.usage_day(u.day) then u.daily_qr_codes else 0 end + 1,
    daily_shortened_urls = case when u.day = app.usage_day(u.day) then u.daily_shortened_urls else 0 end,
    daily_custom_codes = case when u.day = app.usage_day(u.day) then u.daily_custom_codes else 0 end,
    day = app.usage_day(u.day)
  where u.user_id = _user_id and (u.day <> app.usage_day(u.day) or u.daily_qr_codes < max_codes)
  returning u.daily_qr_codes into used;
  return jsonb_build_object('allowed', used is not null, 'limit', max_codes, 'current', coalesce(used, max_codes), 'plan', plan);
end $$;

-- True when the referral was recorded; false when a rule refused it. Only for oneself.
create function api.track_referral(_referred_user_id uuid, _referrer_code text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.require_self(_referred_user_id);
  return app.record_referral(_referred_user_id, left(_referrer_code, 64));
end $$;

create function api.increment_bio_visit(slug text) returns void
language sql volatile security definer set search_path = '' as $$
  update app.bio_pages p set visit_count = p.visit_count + 1 where p.slug = lower(increment_bio_visit.slug)
$$;

-- "Count one visit": what the specification's public `update click_count plus one` means here, whatever number is sent.
create function api.count_visit(short_code text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  update app.shortened_urls s set click_count = s.click_count + 1 where s.short_code = lower(count_visit.short_code);
  return found;
end $$;

-- The caller's links whose code or destination holds the text, newest first, from a (created_at, id) cursor on.
-- Behind row security the planner cannot know how many rows hold the text. So we read the newest 2,000 first, which fill
-- a page when the text is common; only for a rare one we go on, by the trigram index. (Custom plans, because that index
-- is of no use for one or two letters, and only a plan that sees the pattern knows.)
create function api.search_links(_query text, _before_created_at timestamptz default null, _before_id uuid default null,
  _limit integer default 50) returns setof api.shortened_urls
language plpgsql stable security definer set search_path = 'extensions' set plan_cache_mode = 'force_custom_plan' as $$
declare
  me uuid := app.current_user_id();
  pattern text := '%' || regexp_replace(left(_query, 200), '([\\%_])', '\\\1', 'g') || '%';
  max_rows integer := least(greatest(coalesce(_limit, 50), 1), 1000);
  from_at timestamptz := coalesce(_before_created_at, 'infinity');
  from_id uuid := coalesce(_before_id, case when _before_created_at is null
    then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end::uuid);
  edge record;
  found_so_far integer;
begin
  return query
    select l.* from api.shortened_urls l join (
      select near.id from (
        select s.id, s.created_at, s.short_code, s.original_url from app.shortened_urls s
        where s.user_id = me and (s.created_at, s.id) < (from_at, from_id)
        order by s.created_at desc, s.id desc limit 2000
      ) near
      where (near.short_code || E'\n' || near.original_url) ilike pattern
      order by near.created_at desc, near.id desc limit max_rows
    ) hit on hit.id = l.id
    order by l.created_at desc, l.id desc;
  get diagnostics found_so_far = row_count;
  if found_so_far >= max_rows then return; end if;

  select s.created_at, s.id into edge from app.shortened_urls s
    where s.user_id = me and (s.created_at, s.id) < (from_at, from_id)
    order by s.created_at desc, s.id desc offset 1999 limit 1;
  if not found then return; end if;
  return query
    select l.* from api.shortened_urls l join (
      select s.id from app.shortened_urls s
      where s.user_id = me and (s.created_at, s.id) < (edge.created_at, edge.id)
        and (s.short_code || E'\n' || s.original_url) ilike pattern
      order by s.created_at desc, s.id desc limit max_rows - found_so_far
    ) hit on hit.id = l.id
    order by l.created_at desc, l.id desc;
end $$;

-- Where a link led before, newest change first: [{changed_at, changed_by, from_url, to_url}]. For its owner and for admins;
-- empty for anyone else.
create function api.link_history(_short_code text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('changed_at', c.changed_at, 'changed_by', c.changed_by, 'from_url', c.from_url,
    'to_url', c.to_url) order by c.id desc), '[]')
  from (
    select h.*, coalesce(lag(h.from_url) over (order by h.id desc), s.original_url) as to_url
    from app.shortened_urls s join app.link_history h on h.link_id = s.id
    where s.short_code = lower(_short_code)
      and (s.user_id = app.current_user_id() or app.is_admin() or app.claims() ->> 'role' = 'service_role')) c
$$;
grant execute on function api.link_history(text) to authenticated, service_role;

-- Creates the caller's page, which claims its slug, or updates it; then replaces both lists. A list that is
-- missing and keys that `page` lacks keep what is stored. With the key `version`, the save is refused (PT409) when the page
-- is not that version any more; null means that there was no page. Answers with {page, links, social_links} as they are now.
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
  -- Saves of one person queue here, the first ones too, when there is no row yet that could be locked.
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

grant execute on function api.can_create_url(uuid, boolean), api.increment_url_usage(uuid, boolean), api.increment_qr_usage(uuid),
  api.track_referral(uuid, text), api.search_links(text, timestamptz, uuid, integer) to authenticated, service_role;
grant execute on function api.increment_bio_visit(text), api.count_visit(text) to anon, authenticated, service_role;
grant execute on function api.save_bio_page(jsonb, jsonb, jsonb) to authenticated;
