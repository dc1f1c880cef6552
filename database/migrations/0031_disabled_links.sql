-- Links that are switched off: visitors get the page of a link that is no longer available, until the owner switches it on again.

alter table app.shortened_urls add column is_disabled boolean not null default false;
grant select (is_disabled) on app.shortened_urls to anon;
grant update (is_disabled) on app.shortened_urls to authenticated;

-- It exists for its owner only.
alter policy look_up on app.shortened_urls
  using (short_code = (select app.lookup_key('shortened_urls')) and not is_disabled
    and app.block_of(short_code, user_id, original_url) is null);
alter policy own_or_look_up on app.shortened_urls
  using (user_id = (select app.current_user_id()) or (app.is_looked_up('shortened_urls', short_code) and not is_disabled
    and app.block_of(short_code, user_id, original_url) is null));

create or replace trigger notify after insert or delete or update of original_url, show_popup, popup_id, is_disabled on app.shortened_urls
  for each row execute function app.notify_link();
create or replace trigger record_app_update after update of original_url, external_id, show_popup, popup_id, is_disabled on app.shortened_urls
  for each row execute function app.record_app_change();

create or replace view api.shortened_urls with (security_invoker = true) as
  select id, user_id, short_code, original_url, show_popup, popup_id,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then click_count end as click_count,
    created_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then first_click_at end as first_click_at,
    case when (select app.sees_counts())
        and (user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role')
      then last_click_at end as last_click_at,
    -- Whether visitors are told that the link is blocked.
    case when user_id = (select app.current_user_id()) or (select app.is_admin()) or (select app.claims() ->> 'role') = 'service_role'
      then app.block_of(short_code, user_id, original_url) is not null end as is_blocked,
    external_id,
    is_disabled
  from app.shortened_urls;

-- As in 0028, and the event says whether the link is switched off.
create or replace function app.queue_link_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  link app.shortened_urls := case when tg_op = 'DELETE' then old else new end;
  facts jsonb;
begin
  if not exists (select from app.webhooks w where w.user_id = link.user_id and w.is_enabled) then return null; end if;
  -- Not when the account itself is being deleted.
  if tg_op = 'DELETE' and not exists (select from auth.users u where u.id = link.user_id) then return null; end if;
  facts := jsonb_build_object('id', link.id, 'short_code', link.short_code, 'original_url', link.original_url, 'external_id', link.external_id,
    'show_popup', link.show_popup, 'popup_id', link.popup_id,
    'is_disabled', link.is_disabled, 'created_at', app.utc_text(link.created_at));
  if tg_op = 'UPDATE' then
    facts := facts || jsonb_build_object('previous', jsonb_build_object('original_url', old.original_url, 'external_id', old.external_id,
      'show_popup', old.show_popup, 'popup_id', old.popup_id, 'is_disabled', old.is_disabled));
  end if;
  perform app.queue_webhook_event(link.user_id,
    case tg_op when 'INSERT' then 'link.created' when 'UPDATE' then 'link.updated' else 'link.deleted' end, 'link ' || link.id, facts::json);
  return null;
end $$;
create or replace trigger queue_update_event after update of original_url, external_id, show_popup, popup_id, is_disabled on app.shortened_urls
  for each row when ((old.original_url, old.external_id, old.show_popup, old.popup_id, old.is_disabled) is distinct from
    (new.original_url, new.external_id, new.show_popup, new.popup_id, new.is_disabled))
  execute function app.queue_link_event();
