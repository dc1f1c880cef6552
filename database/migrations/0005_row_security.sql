-- Who may touch which row and column. Row security is enabled and forced on every table of `app`;
-- each policy names its role. hoplet_owner gets policies too, because it runs the SECURITY DEFINER functions.

do $$
declare
  t record;
begin
  for t in select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'app' and c.relkind in ('r', 'p')
  loop
    execute format('alter table app.%I enable row level security', t.relname);
    execute format('alter table app.%I force row level security', t.relname);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', t.relname);
  end loop;
end $$;

-- service_role: everything that `api` shows, through policies and not by bypassing them.
do $$
declare
  name text;
begin
  foreach name in array array['profiles', 'user_plans', 'user_roles', 'shortened_urls', 'popups', 'bio_pages',
    'bio_links', 'bio_social_links', 'affiliate_codes']
  loop
    execute format('grant select, insert, update, delete on app.%I to service_role', name);
    execute format('create policy service_all on app.%I to service_role using (true) with check (true)', name);
  end loop;
end $$;
-- The counters and the ledger are written by the rules only.
grant select on app.user_usage, app.commissions to service_role;
create policy service_read on app.user_usage for select to service_role using (true);
create policy service_read on app.commissions for select to service_role using (true);

-- profiles, user_plans, user_roles, user_usage: one's own to read; the admin's screens read and write all.
grant select (id, email, display_name, created_at), update (display_name), delete on app.profiles to authenticated;
create policy own_or_admin_read on app.profiles for select to authenticated
  using (id = (select app.current_user_id()) or (select app.is_admin()));
create policy own_or_admin_update on app.profiles for update to authenticated
  using (id = (select app.current_user_id()) or (select app.is_admin()))
  with check (id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_delete on app.profiles for delete to authenticated using ((select app.is_admin()));

grant select, update (plan_type) on app.user_plans to authenticated;
create policy own_or_admin_read on app.user_plans for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_update on app.user_plans for update to authenticated
  using ((select app.is_admin())) with check ((select app.is_admin()));

grant select, insert (user_id, role), update (user_id, role) on app.user_roles to authenticated;
create policy own_or_admin_read on app.user_roles for select to authenticated
  using (user_id = (select app.current_user_id()) or (select app.is_admin()));
create policy admin_insert on app.user_roles for insert to authenticated with check ((select app.is_admin()));
create policy admin_update on app.user_roles for update to authenticated
  using ((select app.is_admin())) with check ((select app.is_admin()));

grant select on app.user_usage to authenticated;
create policy own_read on app.user_usage for select to authenticated using (user_id = (select app.current_user_id()));

-- Links: the owner's, or the one row whose code a public look-up named.
-- (A view that runs with the caller's rights needs them on every column it mentions; which columns each role
-- really sees is granted on the view, in 0006. No API role can name a table of `app`: they have no USAGE on it.)
grant select (id, user_id, short_code, original_url, show_popup, popup_id, click_count, created_at) on app.shortened_urls to anon;
create policy look_up on app.shortened_urls for select to anon
  using (short_code = (select app.lookup_key('shortened_urls')));
grant select, delete, insert (short_code, original_url, user_id), update (original_url, show_popup, popup_id)
  on app.shortened_urls to authenticated;
create policy own_or_look_up on app.shortened_urls for select to authenticated
  using (user_id = (select app.current_user_id()) or short_code = (select app.lookup_key('shortened_urls')));
create policy own_insert on app.shortened_urls for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy own_update on app.shortened_urls for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.shortened_urls for delete to authenticated
  using (user_id = (select app.current_user_id()));

-- Popups: the owner's, or the one active popup that a visitor's page named.
grant select (id, user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
  button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
  border_radius, font_style, shadow_style, created_at) on app.popups to anon;
create policy look_up on app.popups for select to anon
  using (is_active and id::text = (select app.lookup_key('popups')));
grant select, delete,
  insert (user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style),
  update (title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style)
  on app.popups to authenticated;
create policy own_or_look_up on app.popups for select to authenticated
  using (user_id = (select app.current_user_id()) or (is_active and id::text = (select app.lookup_key('popups'))));
create policy own_insert on app.popups for insert to authenticated with check (user_id = (select app.current_user_id()));
create policy own_update on app.popups for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.popups for delete to authenticated using (user_id = (select app.current_user_id()));

-- Bio pages and their lists: the owner's, or the page that a visitor named.
grant select (id, slug, title, description, popup_id, theme_primary, theme_background, theme_text, visit_count, user_id)
  on app.bio_pages to anon;
create policy look_up on app.bio_pages for select to anon using (slug = (select app.lookup_key('bio_pages')));
grant select, delete,
  insert (user_id, slug, title, description, popup_id, theme_primary, theme_background, theme_text),
  update (slug, title, description, popup_id, theme_primary, theme_background, theme_text)
  on app.bio_pages to authenticated;
create policy own_or_look_up on app.bio_pages for select to authenticated
  using (user_id = (select app.current_user_id()) or slug = (select app.lookup_key('bio_pages')));
create policy own_insert on app.bio_pages for insert to authenticated with check (user_id = (select app.current_user_id()));
create policy own_update on app.bio_pages for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.bio_pages for delete to authenticated using (user_id = (select app.current_user_id()));

create function app.owns_bio_page(page uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from app.bio_pages p where p.id = page and p.user_id = app.current_user_id())
$$;
grant execute on function app.owns_bio_page(uuid) to authenticated;

do $$
declare
  name text;
  columns text;
begin
  foreach name in array array['bio_links', 'bio_social_links'] loop
    columns := case name when 'bio_links' then 'bio_page_id, title, url, link_order'
      else 'bio_page_id, platform, url, display_order' end;
    execute format('grant select (id, %s) on app.%I to anon', columns, name);
    execute format('create policy look_up on app.%I for select to anon using (bio_page_id::text = (select app.lookup_key(%L)))', name, name);
    execute format('grant select, delete, insert (%s), update (%s) on app.%I to authenticated', columns, columns, name);
    execute format('create policy own_or_look_up on app.%I for select to authenticated
      using (app.owns_bio_page(bio_page_id) or bio_page_id::text = (select app.lookup_key(%L)))', name, name);
    execute format('create policy own_insert on app.%I for insert to authenticated with check (app.owns_bio_page(bio_page_id))', name);
    execute format('create policy own_update on app.%I for update to authenticated
      using (app.owns_bio_page(bio_page_id)) with check (app.owns_bio_page(bio_page_id))', name);
    execute format('create policy own_delete on app.%I for delete to authenticated using (app.owns_bio_page(bio_page_id))', name);
  end loop;
end $$;

-- Affiliates: one's own code, made once; the ledger is read only.
grant select (user_id, code, total_referrals, total_earnings_cents), insert (user_id, code) on app.affiliate_codes to authenticated;
create policy own_read on app.affiliate_codes for select to authenticated using (user_id = (select app.current_user_id()));
create policy own_insert on app.affiliate_codes for insert to authenticated with check (user_id = (select app.current_user_id()));
grant select on app.commissions to authenticated;
create policy own_read on app.commissions for select to authenticated using (affiliate_user_id = (select app.current_user_id()));

-- The visit door: reads what it must to answer, adds events, moves counters and its journal marks.
grant select on app.names, app.shortened_urls, app.popups, app.bio_pages, app.bio_links, app.bio_social_links, app.own_hosts to hoplet_visits;
create policy visits_read on app.names for select to hoplet_visits using (true);
create policy visits_read on app.shortened_urls for select to hoplet_visits using (true);
create policy visits_read on app.popups for select to hoplet_visits using (true);
create policy visits_read on app.bio_pages for select to hoplet_visits using (true);
create policy visits_read on app.bio_links for select to hoplet_visits using (true);
create policy visits_read on app.bio_social_links for select to hoplet_visits using (true);
create policy visits_read on app.own_hosts for select to hoplet_visits using (true);
grant update (click_count) on app.shortened_urls to hoplet_visits;
create policy visits_count on app.shortened_urls for update to hoplet_visits using (true) with check (true);
grant update (visit_count) on app.bio_pages to hoplet_visits;
create policy visits_count on app.bio_pages for update to hoplet_visits using (true) with check (true);
grant insert on app.click_events to hoplet_visits;
create policy visits_insert on app.click_events for insert to hoplet_visits with check (true);
grant select, insert, update, delete on app.click_segments to hoplet_visits;
create policy visits_all on app.click_segments to hoplet_visits using (true) with check (true);

-- Background work and the command line: reserved words, own hosts, roles.
grant select, insert, update, delete on app.names, app.own_hosts to hoplet_worker;
create policy worker_all on app.names to hoplet_worker using (true) with check (true);
create policy worker_all on app.own_hosts to hoplet_worker using (true) with check (true);
grant select on app.profiles to hoplet_worker;
create policy worker_read on app.profiles for select to hoplet_worker using (true);
grant select, insert, update on app.user_roles to hoplet_worker;
create policy worker_all on app.user_roles to hoplet_worker using (true) with check (true);

grant execute on function app.is_admin(), app.sees_counts() to authenticated, anon, service_role;
grant execute on function app.is_destination(text), app.is_hsl(text), app.is_hex_colour(text)
  to authenticated, service_role, hoplet_visits;
grant execute on function app.today(), app.usage_day(date) to authenticated, service_role;

-- Search within one person's links: a trigram index that starts with the owner.
do $$
begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm') and exists (select 1 from pg_extension where extname = 'btree_gin') then
    create index shortened_urls_search on app.shortened_urls
      using gin (user_id extensions.uuid_ops, (short_code || E'\n' || original_url) extensions.gin_trgm_ops);
  end if;
end $$;
