-- Deleting a popup takes it off the links and pages that show it, and leaves them alive.
create function app.before_popup_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.shortened_urls set show_popup = false, popup_id = null where popup_id = old.id;
  update app.bio_pages set popup_id = null where popup_id = old.id;
  return old;
end $$;
create trigger before_delete before delete on app.popups
  for each row execute function app.before_popup_delete();

-- Visit caches listen on this channel: the payload is a name, or 'popup:<id>'. A trigger on popups, links and bio
-- pages, with the prefix of the payload, and its column.
create function app.notify_visits() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', tg_argv[0] || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $$;
create trigger notify after update or delete on app.popups
  for each row execute function app.notify_visits('popup:', 'id');
create trigger refuse_blocked_host before insert or update of cta_url on app.popups
  for each row execute function app.refuse_blocked_host('cta_url');

-- How many rows an account may have: a trigger with the figure, and the noun of the rows. The counter row is the lock, so
-- that two inserts at once do not both find room. The person reads the message.
create function app.limit_rows_of_account() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  max_rows constant integer := tg_argv[0];
  is_over boolean;
begin
  perform app.lock_usage(new.user_id);
  execute format('select count(*) > $1 from app.%I where user_id = $2', tg_table_name)
    into is_over using max_rows, new.user_id;
  if is_over then
    raise exception using errcode = 'P0001', hint = 'too_many_rows',
      message = format('You have %s %s, which is the most that an account can have. Please delete some first.',
        ltrim(to_char(max_rows, '999,999')), tg_argv[1]);
  end if;
  return null;
end $$;
create trigger limit_popups after insert on app.popups
  for each row execute function app.limit_rows_of_account('1000', 'popups');

create policy service_all on app.popups to service_role using (true) with check (true);
create policy look_up on app.popups for select to anon
  using (is_active and id::text = (select app.lookup_key('popups')) and app.block_of(null, user_id, cta_url) is null);
create policy own_or_look_up on app.popups for select to authenticated
  using (user_id = (select app.current_user_id())
    or (is_active and app.is_looked_up('popups', id::text) and app.block_of(null, user_id, cta_url) is null));
create policy own_insert on app.popups for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy own_update on app.popups for update to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy own_delete on app.popups for delete to authenticated using (user_id = (select app.current_user_id()));
create policy visits_read on app.popups for select to hoplet_visits using (true);
create policy worker_read on app.popups for select to hoplet_worker using (true);
create policy worker_update on app.popups for update to hoplet_worker using (true) with check (true);
create policy worker_all on app.media to hoplet_worker using (true) with check (true);
create policy worker_all on app.media_blocks to hoplet_worker using (true) with check (true);

create view api.popups with (security_invoker = true) as
  select id, user_id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style, created_at, keep_emails, consent_text, version, name
  from app.popups;

-- Like app.trim_texts, and an empty name is none.
create function app.trim_popup() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.title := app.trimmed(new.title);
  new.description := app.trimmed(new.description);
  new.cta_text := app.trimmed(new.cta_text);
  new.consent_text := app.trimmed(new.consent_text);
  new.name := nullif(app.trimmed(new.name), '');
  return new;
end $$;
create trigger trim before insert or update of title, description, cta_text, consent_text, name on app.popups
  for each row execute function app.trim_popup();

-- Where popups are used, for My Popups; and the owner's look around a popup.

-- How many links show each of the caller's popups, and whether the bio page does, for one page of cards: [{popup_id,
-- links, bio_page}]. Counted up to 1,000 a popup, so that an owner of very many links waits no longer; ids of others
-- are left out.
create function api.popup_uses(_popup_ids jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('popup_id', p.id, 'links', u.links,
      'bio_page', exists (select from app.bio_pages b where b.popup_id = p.id))), '[]')
  from (select jsonb_array_elements_text(case jsonb_typeof(_popup_ids) when 'array' then _popup_ids else '[]' end) as id
    limit 100) asked
    join app.popups p on p.id = asked.id::uuid and p.user_id = app.current_user_id()
    cross join lateral (select count(*)::integer as links
      from (select from app.shortened_urls s where s.popup_id = p.id limit 1000) l) u
$$;

-- A short link shows its popup in the look of its owner's bio page, so a change of that page, or a block of it, is a
-- change of those popups.
create function app.notify_popups_of(_owner uuid) returns void
language sql volatile set search_path = '' as $$
  select pg_notify('hoplet_names', 'popup:' || p.id) from app.popups p
    where p.user_id = _owner and exists (select from app.shortened_urls s where s.popup_id = p.id)
$$;

-- Not when a visit is counted, which happens all the time.
create function app.notify_owner_look() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform app.notify_popups_of(coalesce(new.user_id, old.user_id));
  return null;
end $$;
create trigger notify_owner_look after insert or delete on app.bio_pages
  for each row execute function app.notify_owner_look();
create trigger notify_owner_look_change after update on app.bio_pages
  for each row when (old.visit_count = new.visit_count) execute function app.notify_owner_look();

comment on view api.popups is 'Popups that visitors see before a link leads on. Everyone may look one up by its id.';

grant execute on function api.popup_uses(jsonb) to authenticated;

grant select, insert, update, delete on api.popups to authenticated, service_role;

grant
  select (id, title, description, cta_text, cta_url, image_url, background_color, text_color, button_color,
    button_text_color, position, trigger_delay, trigger_delay_enabled, collect_email, size_preset, is_active,
    border_radius, font_style, shadow_style, created_at, keep_emails, consent_text, version)
  on api.popups to anon;

comment on function api.popup_uses(jsonb) is 'Which links and bio pages show a popup.';
