-- The doors ask this on each request, so that the token of a session that was signed out stops working at once and not
-- when it expires. Null: the session has ended; one that was not refreshed for 90 days has, one of a banned account,
-- and one with claims that are due for a day (docs/decisions/0068-admins-by-a-claim.md). 'first_factor': the person has
-- a second factor and has not shown it in this session; then only the auth door serves it
-- (docs/decisions/0061-second-factor-is-enforced.md). A session of an app rests on the consent that was given.
create function auth.session_status(session uuid, account uuid, token_aal text default 'aal2') returns text
language sql stable security definer set search_path = '' as $$
  select case
      when 'aal1' in (s.aal, token_aal) and s.oauth_client_id is null and exists (
        select 1 from auth.factors f where f.user_id = u.id and f.status = 'verified') then 'first_factor'
      else 'live'
    end
  from auth.sessions s join auth.users u on u.id = s.user_id
  where s.id = session and u.id = account and s.refreshed_at > now() - interval '90 days'
    and (u.banned_until is null or u.banned_until < now())
    and (s.claims_until is null or s.claims_until > now() - interval '24 hours')
$$;

-- The first statement of a person's transaction: later statements fail when their session, or API key, is not live.
create function auth.require_live(status text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if status is distinct from 'live' then
    raise exception using errcode = 'HP001', message = 'The session has ended', hint = coalesce(status, '');
  end if;
end $$;

-- True when the session exists and its user is not banned.
create function auth.session_is_live(session uuid, account uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select auth.session_status(session, account) is not null
$$;

-- Acts that a stolen admin session must not do: the session has to be younger than 15 minutes.
create function app.require_recent_sign_in() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if app.claims() ->> 'role' is distinct from 'authenticated' then return; end if;
  if not exists (select 1 from auth.sessions s where s.id = nullif(app.claims() ->> 'session_id', '')::uuid
      and s.user_id = app.person_id() and s.created_at > now() - interval '15 minutes') then
    raise exception using errcode = 'P0001', message = 'Please sign in again to confirm this.',
      hint = 'reauthentication_needed';
  end if;
end $$;

-- A ban leaves nothing that began before it and would work when it is lifted: no session, no code that would become
-- one, no emailed link, no change of address. Codes go before sessions: an exchange that runs at the same time holds
-- its code, so its session is either there to be deleted or is never created.
create function auth.end_all() returns trigger
language plpgsql volatile set search_path = '' as $$
begin
  delete from auth.flow_states where user_id = new.id or linking_user_id = new.id;
  delete from auth.oauth_authorizations where user_id = new.id;
  delete from auth.one_time_tokens where user_id = new.id;
  delete from auth.sessions where user_id = new.id;
  new.new_email := null;
  new.email_change_agreed := false;
  new.email_change_proven := false;
  return new;
end $$;
create trigger ban before update of banned_until on auth.users
  for each row when (new.banned_until > now()) execute function auth.end_all();

-- Changes that a person can repeat at will leave one event each minute, so that the table cannot be filled this way.
create function auth.skip_repeated_event() returns trigger
language plpgsql volatile set search_path = '' as $$
begin
  if exists (select from auth.security_events e
      where e.user_id = new.user_id and e.event = new.event and e.at > now() - interval '1 minute') then
    return null;
  end if;
  return new;
end $$;
create trigger skip_repeated before insert on auth.security_events
  for each row when (new.event in ('display name changed', 'profile data changed', 'account of others refused'))
  execute function auth.skip_repeated_event();

-- Events are only ever added; after 90 days they go (server/auth/protection/clean-up.ts).
create function auth.delete_old_events() returns void
language sql volatile security definer set search_path = '' as $$
  delete from auth.security_events where at < now() - interval '90 days'
$$;

grant execute on function auth.delete_old_events() to hoplet_auth;
grant execute on function
  auth.require_live(text), auth.session_is_live(uuid, uuid), auth.session_status(uuid, uuid, text)
  to authenticated, hoplet_auth;
