-- An idempotency key that comes with another request is a fault of the request itself (422), not a conflict with the state of a row
-- (draft-ietf-httpapi-idempotency-key-header, 2.7).
create or replace function auth.begin_idempotent_request(_key text, _request bytea) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  earlier app.idempotent_requests;
begin
  delete from app.idempotent_requests r where r.user_id = app.current_user_id() and r.key = _key and r.made_at < now() - interval '24 hours';
  insert into app.idempotent_requests (user_id, key, request) values (app.current_user_id(), _key, _request) on conflict do nothing;
  if found then return null; end if;
  select * into earlier from app.idempotent_requests r where r.user_id = app.current_user_id() and r.key = _key;
  if earlier.request <> _request then
    raise exception using errcode = 'PT422', message = 'This idempotency key was used for another request.', hint = 'idempotency_key_reused';
  end if;
  return earlier.result;
end $$;
