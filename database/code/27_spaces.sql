-- Spaces: accounts with members (docs/decisions/0069-a-space-is-an-account.md). In the claims of a transaction `sub` is the account that a
-- request acts for and `person` the human, where the two differ; server/postgres/begin.ts has the membership checked first.

-- Null for a person who is not a member, and for all members of a banned space.
create function auth.member_role(account uuid, person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select m.role from app.members m join auth.users u on u.id = m.account_id
  where m.account_id = account and m.person_id = person and (u.banned_until is null or u.banned_until < now())
$$;

-- The second statement of a transaction for a space: later ones fail unless the door knows the present role.
create function auth.require_member(present text, remembered text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if present is distinct from remembered then
    raise exception using errcode = 'HP002', message = 'The role in the space is another one', hint = coalesce(present, '');
  end if;
end $$;

-- Refuses an act that is an owner's, at every door; 42501 is answered as 403.
create function app.require_owner_of_space() returns uuid
language plpgsql stable set search_path = '' as $$
begin
  if app.person_id() = app.current_user_id() or app.acting_role() <> 'owner' then
    raise insufficient_privilege using message = 'permission denied: this is for owners of a space';
  end if;
  return app.current_user_id();
end $$;

create function app.space_name(space uuid) returns text
language sql stable security definer set search_path = '' as $$
  select p.display_name from app.profiles p where p.id = space
$$;

-- Nobody signs in to a space: it has no session, identity or factor.
create function auth.refuse_sign_in_to_space() returns trigger
language plpgsql volatile set search_path = '' as $$
begin
  if exists (select from auth.users u where u.id = new.user_id and u.kind = 'space') then
    raise exception using errcode = 'P0001', message = 'Nobody can sign in to a space.';
  end if;
  return new;
end $$;
create trigger refuse_space before insert on auth.sessions
  for each row execute function auth.refuse_sign_in_to_space();
create trigger refuse_space before insert on auth.identities
  for each row execute function auth.refuse_sign_in_to_space();
create trigger refuse_space before insert on auth.factors
  for each row execute function auth.refuse_sign_in_to_space();

-- Members and open invitations of a space. Its row is locked.
create function app.seats_of(space uuid) returns integer
language sql stable security definer set search_path = '' as $$
  select ((select count(*) from app.members m where m.account_id = space)
    + (select count(*) from app.invitations i where i.account_id = space and i.used_at is null and i.expires_at > now()))::integer
$$;

create function app.require_seat(space uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  most constant integer := (select l.members from app.plan_limits(app.plan_of(space)) l);
begin
  perform 1 from app.spaces s where s.id = space for no key update;
  if app.seats_of(space) >= most then
    raise exception using errcode = 'P0001', hint = 'plan', message = format(
      'This space has %s seats, and all of them are taken by members and open invitations.', most);
  end if;
end $$;

-- A person owns at most as many spaces as their plan says.
create function app.require_room_for_space(person uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  most constant integer := (select l.spaces from app.plan_limits(app.plan_of(person)) l);
begin
  perform app.lock_usage(person);
  if (select count(*) from app.members m where m.person_id = person and m.role = 'owner') >= most then
    raise exception using errcode = 'P0001', hint = 'plan', message = case when person = app.person_id()
      then format('Your plan allows you to own %s %s.', most, case most when 1 then 'space' else 'spaces' end)
      else 'This person owns as many spaces as their plan allows.' end;
  end if;
end $$;

-- Changes of one space's owners queue at its row, so that two owners who leave at once cannot both do so.
create function app.before_member_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op <> 'INSERT' then perform 1 from app.spaces s where s.id = old.account_id for no key update; end if;
  if tg_op <> 'DELETE' and new.role = 'owner' and (tg_op = 'INSERT' or old.role <> 'owner') then
    perform app.require_room_for_space(new.person_id);
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger before_write before insert or update of role or delete on app.members
  for each row execute function app.before_member_write();

-- A space always has an owner: the last one can neither leave, be removed nor delete their account.
create function app.keep_owner() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from app.members m where m.account_id = old.account_id and m.role = 'owner')
    and exists (select from app.spaces s where s.id = old.account_id) then
    raise exception using errcode = 'P0001', hint = 'last_owner', detail = old.account_id::text,
      message = format('%s needs an owner. Make somebody else an owner first, or delete the space.',
        coalesce(app.space_name(old.account_id), 'The space'));
  end if;
  return null;
end $$;
create constraint trigger keep_owner after update or delete on app.members deferrable initially deferred
  for each row when (old.role = 'owner') execute function app.keep_owner();

-- Keys, apps and invitations of a member end with the membership; servers close the streams that they read.
create function app.after_member_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from auth.api_keys k where k.user_id = old.account_id and k.made_by = old.person_id;
  delete from auth.sessions s where s.account_id = old.account_id and s.user_id = old.person_id;
  delete from auth.oauth_consents c where c.account_id = old.account_id and c.user_id = old.person_id;
  update auth.oauth_authorizations a set account_id = null, status = 'denied'
    where a.account_id = old.account_id and a.user_id = old.person_id;
  delete from app.invitations i where i.account_id = old.account_id and i.created_by = old.person_id and i.used_at is null;
  return null;
end $$;
create trigger after_delete after delete on app.members
  for each row execute function app.after_member_delete();

create function app.notify_member() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_members', coalesce(new.account_id, old.account_id) || ' ' || coalesce(new.person_id, old.person_id));
  return null;
end $$;
create trigger notify after insert or update of role or delete on app.members
  for each row execute function app.notify_member();

-- The spaces that only this person owns, for the refusal to delete their account.
create function app.spaces_owned_alone(person uuid) returns text[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(coalesce(app.space_name(m.account_id), s.slug) order by s.created_at), '{}')
  from app.members m join app.spaces s on s.id = m.account_id
  where m.person_id = person and m.role = 'owner' and not exists (
    select from app.members o where o.account_id = m.account_id and o.role = 'owner' and o.person_id <> person)
$$;

create function app.refuse_orphaned_spaces() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  alone constant text[] := app.spaces_owned_alone(old.id);
begin
  if cardinality(alone) > 0 then
    raise exception using errcode = 'P0001', hint = 'last_owner', message = format(
      'Nobody else owns %s. Make somebody else an owner first, or delete %s.', array_to_string(alone, ', '),
      case cardinality(alone) when 1 then 'the space' else 'the spaces' end);
  end if;
  return old;
end $$;
create trigger refuse_orphaned_spaces before delete on auth.users
  for each row execute function app.refuse_orphaned_spaces();

-- A space that is deleted gives nothing back of the lifetime counters of its maker.
create function app.keep_used_of_space() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if app.plan_of(old.id) = 'free' then
    update app.user_usage u set gone_shortened_urls = u.gone_shortened_urls + g.total_shortened_urls,
      gone_custom_codes = u.gone_custom_codes + g.total_custom_codes
    from app.spaces s, app.user_usage g where s.id = old.id and u.user_id = s.made_by and g.user_id = old.id;
  end if;
  return old;
end $$;
create trigger keep_used before delete on auth.users
  for each row when (old.kind = 'space') execute function app.keep_used_of_space();

-- Names of addresses below /s/ that a bio page with the slug `s` keeps, and words that would mislead.
create function app.require_space_slug(slug text) returns text
language plpgsql stable set search_path = '' as $$
declare
  wanted constant text := lower(app.trimmed(coalesce(slug, '')));
begin
  if wanted !~ '^[a-z0-9]+(-[a-z0-9]+)*$' or length(wanted) not between 2 and 48 then
    raise exception using errcode = '22023', hint = 'slug',
      message = 'The address needs 2 to 48 characters: letters from a to z, digits, and single hyphens between them.';
  end if;
  if wanted in ('go', 'popup', 'new', 'admin', 'api', 'hoplet', 'settings', 'support') then
    raise exception using errcode = '22023', hint = 'slug', message = 'This address is reserved. Please choose another one.';
  end if;
  return wanted;
end $$;

create function app.require_space_name(name text) returns text
language plpgsql stable set search_path = '' as $$
declare
  wanted constant text := app.trimmed(coalesce(name, ''));
begin
  if length(wanted) > 100 or not app.is_visible(wanted) or wanted ~ '[\u0001-\u001f\u007f]' then
    raise exception using errcode = '22023', hint = 'name', message = 'The name needs 1 to 100 characters on one line.';
  end if;
  return wanted;
end $$;

create function app.refuse_taken_slug() returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = '23505', hint = 'slug', message = 'Another space has this address already.';
end $$;

create function api.create_space(_slug text, _name text) returns uuid
language plpgsql volatile security definer set search_path = '' as $$
declare
  person constant uuid := app.person_id();
  wanted constant text := app.require_space_slug(_slug);
  name constant text := app.require_space_name(_name);
  space uuid;
begin
  if person is null then raise insufficient_privilege using message = 'permission denied: nobody is signed in'; end if;
  perform app.require_room_for_space(person);
  if exists (select from app.spaces s where s.slug = wanted) then perform app.refuse_taken_slug(); end if;
  insert into auth.users (kind, user_metadata) values ('space', jsonb_build_object('display_name', name)) returning id into space;
  insert into app.spaces (id, slug, made_by) values (space, wanted, person);
  insert into app.members (account_id, person_id, role) values (space, person, 'owner');
  return space;
exception when unique_violation then
  perform app.refuse_taken_slug();
end $$;

create function api.update_space(_slug text default null, _name text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  space constant uuid := app.require_owner_of_space();
  wanted constant text := case when _slug is not null then app.require_space_slug(_slug) end;
begin
  if wanted is not null then
    if exists (select from app.spaces s where s.slug = wanted and s.id <> space) then
      perform app.refuse_taken_slug();
    end if;
    update app.spaces s set slug = wanted where s.id = space;
  end if;
  if _name is not null then
    update app.profiles p set display_name = app.require_space_name(_name) where p.id = space;
  end if;
exception when unique_violation then
  perform app.refuse_taken_slug();
end $$;

-- Deletes the space that the request acts for; its address has to be given, so that no slip deletes another one.
create function api.delete_space(_slug text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  space constant uuid := app.require_owner_of_space();
begin
  perform app.require_recent_sign_in();
  if not exists (select from app.spaces s where s.id = space and s.slug = lower(app.trimmed(coalesce(_slug, '')))) then
    raise exception using errcode = '22023', hint = 'slug', message = 'This is not the address of the space.';
  end if;
  perform set_config('hoplet.audited', 'yes', true);
  delete from auth.users u where u.id = space;
end $$;

-- A secret for a link, and the hash by which it is found.
create function app.invitation_hash(token text) returns bytea
language sql immutable set search_path = ''
return sha256(convert_to(token, 'UTF8'));

create function app.make_invitation(space uuid, wanted_role text, wanted_email text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  secret constant text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  made app.invitations;
begin
  perform app.require_seat(space);
  -- The newest 100 used ones stay in the list.
  delete from app.invitations i where i.account_id = space and (i.used_at is null and i.expires_at <= now() or i.id in (
    select u.id from app.invitations u where u.account_id = space and u.used_at is not null
      order by u.created_at desc, u.id desc offset 100));
  insert into app.invitations (account_id, role, email, token_hash, created_by)
    values (space, wanted_role, wanted_email, app.invitation_hash(secret), app.person_id())
    returning * into made;
  return jsonb_build_object('id', made.id, 'token', secret, 'role', made.role, 'email', made.email,
    'expires_at', made.expires_at, 'space', app.space_name(space), 'person', app.person_id());
end $$;

create function app.require_role_name(role text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  if role is null or role not in ('owner', 'editor', 'viewer') then
    raise exception using errcode = '22023', hint = 'role', message = 'The role must be owner, editor or viewer.';
  end if;
  return role;
end $$;

-- The server answers with the link, once (server/spaces/invitation-link.ts).
create function api.create_invitation(_role text, _email text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  space constant uuid := app.require_owner_of_space();
  address constant text := nullif(lower(app.trimmed(_email)), '');
begin
  if address is not null and (address !~ '^[^@[:space:]]+@[^@[:space:]]+\.[^@[:space:]]+$' or length(address) > 320) then
    raise exception using errcode = '22023', hint = 'email', message = 'This is not an email address.';
  end if;
  if address is not null and exists (select from app.members m join auth.users u on u.id = m.person_id
      where m.account_id = space and u.email = address) then
    raise exception using errcode = 'P0001', hint = 'email', message = 'This person is a member already.';
  end if;
  if address is not null then
    delete from app.invitations i where i.account_id = space and i.email = address and i.used_at is null;
  end if;
  return app.make_invitation(space, app.require_role_name(_role), address);
end $$;

-- A new link for an open or expired invitation; the earlier one stops working.
create function api.renew_invitation(_id uuid) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  space constant uuid := app.require_owner_of_space();
  earlier app.invitations;
begin
  delete from app.invitations i where i.id = _id and i.account_id = space and i.used_at is null returning * into earlier;
  if earlier.id is null then
    raise exception using errcode = 'P0002', message = 'This invitation was used or is not there any more.';
  end if;
  return app.make_invitation(space, earlier.role, earlier.email);
end $$;

create function api.revoke_invitation(_id uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app.invitations i where i.id = _id and i.account_id = app.require_owner_of_space() and i.used_at is null;
  if not found then
    raise exception using errcode = 'P0002', message = 'This invitation was used or is not there any more.';
  end if;
end $$;

-- {space, role, email, expires_at} of the invitation with this link; null when it was used, has expired or never was. Everybody with the
-- link may ask.
create function api.read_invitation(_token text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('space', app.space_name(i.account_id), 'role', i.role, 'email', i.email, 'expires_at', i.expires_at)
  from app.invitations i join auth.users u on u.id = i.account_id
  where i.token_hash = app.invitation_hash(left(_token, 200)) and i.used_at is null and i.expires_at > now()
    and (u.banned_until is null or u.banned_until < now())
$$;

-- Whether a sign-up may rest on an invitation while sign-up is closed: one by an admin, or any with INVITE_SIGNUP=on.
create function auth.invitation_opens_sign_up(_token text, _email text, _any boolean) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.invitations i
    where i.token_hash = app.invitation_hash(left(_token, 200)) and i.used_at is null and i.expires_at > now()
      and (i.email is null or i.email = lower(_email))
      and (_any or exists (select from app.user_roles r where r.user_id = i.created_by and r.role = 'admin')))
$$;

-- Makes the person a member. Returns the space's {id, slug, name, role}.
create function api.accept_invitation(_token text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  me constant uuid := app.person_id();
  found app.invitations;
begin
  if me is null then raise insufficient_privilege using message = 'permission denied: nobody is signed in'; end if;
  select * into found from app.invitations i where i.token_hash = app.invitation_hash(left(_token, 200)) for update;
  if found.id is null or found.used_at is not null or found.expires_at <= now()
    or exists (select from auth.users u where u.id = found.account_id and u.banned_until > now()) then
    raise exception using errcode = 'P0002', hint = 'invitation_over',
      message = 'This invitation was used, has expired or was withdrawn. Ask for a new link.';
  end if;
  if found.email is not null and not exists (select from auth.users u
      where u.id = me and u.email = found.email and u.email_proven_at is not null) then
    raise exception using errcode = 'P0001', hint = 'invitation_of_another',
      message = 'This invitation is for another email address, or you have not confirmed yours.';
  end if;
  perform 1 from app.spaces s where s.id = found.account_id for no key update;
  if exists (select from app.members m where m.account_id = found.account_id and m.person_id = me) then
    raise exception using errcode = 'P0001', hint = 'member_already', message = 'You are a member of this space already.';
  end if;
  update app.invitations i set used_at = now(), used_by = me where i.id = found.id;
  insert into app.members (account_id, person_id, role) values (found.account_id, me, found.role);
  return (select jsonb_build_object('id', s.id, 'slug', s.slug, 'name', app.space_name(s.id), 'role', found.role)
    from app.spaces s where s.id = found.account_id);
end $$;

create function app.refuse_no_member() returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'P0002', message = 'This person is not a member of the space.';
end $$;

create function api.set_member_role(_person uuid, _role text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  space constant uuid := app.require_owner_of_space();
begin
  update app.members m set role = app.require_role_name(_role) where m.account_id = space and m.person_id = _person;
  if not found then perform app.refuse_no_member(); end if;
  set constraints app.keep_owner immediate;
end $$;

create function api.remove_member(_person uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  space constant uuid := app.require_owner_of_space();
begin
  delete from app.members m where m.account_id = space and m.person_id = _person;
  if not found then perform app.refuse_no_member(); end if;
  set constraints app.keep_owner immediate;
end $$;

-- Leaves the space that the request acts for.
create function api.leave_space() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app.members m where m.account_id = app.current_user_id() and m.person_id = app.person_id();
  if not found then perform app.refuse_no_member(); end if;
  set constraints app.keep_owner immediate;
end $$;

-- For an account that turns out to be a stranger's: the spaces that nobody else owns go with the memberships.
create function app.delete_memberships(person uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from auth.users u using app.members m where u.id = m.account_id and m.person_id = person and m.role = 'owner'
    and not exists (select from app.members o where o.account_id = m.account_id and o.role = 'owner' and o.person_id <> person);
  delete from app.members m where m.person_id = person;
  update app.spaces s set made_by = null where s.made_by = person;
end $$;

-- Gives and takes memberships, as a claim of a sign-in provider has them: [{slug, role}]. Those by invitation stay as they are, and so
-- does the last owner of a space. Returns the spaces with a change that was refused.
create function app.take_claimed_spaces(person uuid, claimed jsonb, provider text) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  wanted record;
  refused text[] := '{}';
begin
  for wanted in
    select s.id, s.slug, c.role as role_after, m.role as role_before, m.claim_provider
    from app.spaces s
      left join jsonb_to_recordset(claimed) as c (slug text, role text) on c.slug = s.slug
      left join app.members m on m.account_id = s.id and m.person_id = person
    where (c.slug is not null and (m.role is null or m.claim_provider = provider) and m.role is distinct from c.role)
      or (c.slug is null and m.claim_provider = provider)
    order by s.id
  loop
    begin
      if wanted.role_after is null then
        delete from app.members m where m.account_id = wanted.id and m.person_id = take_claimed_spaces.person;
      elsif wanted.role_before is null then
        perform app.require_seat(wanted.id);
        insert into app.members (account_id, person_id, role, claim_provider)
          values (wanted.id, person, wanted.role_after, provider);
      else
        update app.members m set role = wanted.role_after
          where m.account_id = wanted.id and m.person_id = take_claimed_spaces.person;
      end if;
      set constraints app.keep_owner immediate;
      set constraints app.keep_owner deferred;
    exception when raise_exception then
      refused := refused || wanted.slug;
    end;
  end loop;
  return refused;
end $$;

-- For a space with owners who are banned or gone: an admin makes one of its members an owner, with a line in the audit log.
create function api.admin_make_owner(_space uuid, _person uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.require_admin();
  perform app.require_recent_sign_in();
  update app.members m set role = 'owner' where m.account_id = _space and m.person_id = _person;
  if not found then perform app.refuse_no_member(); end if;
  perform app.audit('space.owner', 'space', _space::text, jsonb_build_object('name', app.space_name(_space)),
    jsonb_build_object('owner', _person));
end $$;

-- Addresses, or names, of the owners, for admins.
create function app.space_owners(space uuid) returns text[]
language sql stable security definer set search_path = '' as $$
  select coalesce(array_agg(coalesce(p.email, p.display_name, p.id::text) order by m.created_at, m.person_id), '{}')
  from app.members m join app.profiles p on p.id = m.person_id where m.account_id = space and m.role = 'owner'
$$;

-- Emails about a space go to the owner of longest standing who has an address.
create function app.space_mailbox(space uuid) returns text
language sql stable security definer set search_path = '' as $$
  select u.email from app.members m join auth.users u on u.id = m.person_id
  where m.account_id = space and m.role = 'owner' and u.email is not null
    and (u.banned_until is null or u.banned_until < now())
  order by m.created_at, m.person_id limit 1
$$;

-- Name and address of a member, for the list of their space.
create function app.member_facts(account uuid, person uuid) returns app.profiles
language sql stable security definer set search_path = '' as $$
  select p from app.profiles p join app.members m on m.person_id = p.id and m.account_id = account
  where p.id = person and account = app.current_user_id()
$$;

create policy service_all on app.spaces for select to service_role using (true);
create policy service_all on app.members for select to service_role using (true);
create policy service_all on app.invitations for select to service_role using (true);
create policy worker_read on app.spaces for select to hoplet_worker using (true);
create policy worker_read on app.members for select to hoplet_worker using (true);
create policy auth_read on app.spaces for select to hoplet_auth using (true);
create policy auth_read on app.members for select to hoplet_auth using (true);
create policy auth_read on app.invitations for select to hoplet_auth using (true);
create policy auth_seen on app.members for update to hoplet_auth using (true) with check (true);
create policy of_member on app.members for select to authenticated
  using (person_id = (select app.person_id()) or account_id = (select app.current_user_id()));
create policy of_member on app.spaces for select to authenticated
  using (id in (select m.account_id from app.members m where m.person_id = (select app.person_id())));
create policy of_owner on app.invitations for select to authenticated
  using (account_id = (select app.current_user_id()) and (select app.acting_role()) = 'owner');

create view api.spaces with (security_invoker = true) as
  select id, slug, app.space_name(id) as name, auth.member_role(id, app.person_id()) as role from app.spaces;

create view api.members with (security_invoker = true) as
  select m.account_id, m.person_id, (app.member_facts(m.account_id, m.person_id)).display_name as display_name,
    case when app.acting_role() = 'owner' then (app.member_facts(m.account_id, m.person_id)).email end as email,
    m.role, m.created_at,
    case when app.acting_role() = 'owner' or m.person_id = app.person_id() then m.last_seen_at end as last_seen_at
  from app.members m where m.account_id = app.current_user_id();

create view api.invitations with (security_invoker = true) as
  select id, account_id, role, email, created_at, expires_at, created_by, used_by from app.invitations;

comment on view api.spaces is 'The spaces that you are a member of, and your role in each.';
comment on column api.spaces.slug is 'Part of the address of the space: /s/{slug}/';
comment on column api.spaces.name is '@notNull';
comment on column api.spaces.role is '@notNull';
comment on view api.members is 'The people of the space that you act for. Email addresses and times are for its owners.';
comment on view api.invitations is
  'The open and the used invitations of the space that you act for, for its owners. Of the used ones the newest 100.';
comment on function api.create_space(text, text) is 'Creates a space that you own. Answers its id.';
comment on function api.update_space(text, text) is 'Changes the address or the name of the space that you act for.';
comment on function api.delete_space(text) is
  'Deletes the space that you act for, with everything in it. It needs the address of the space and a sign-in of the last 15 minutes.';
comment on function api.create_invitation(text, text) is
  'Invites a person to the space that you act for, as owner, editor or viewer. Answers the link, once. It works for 7 days, and for one person.';
comment on function api.renew_invitation(uuid) is 'Answers a new link for an invitation; the earlier link stops working.';
comment on function api.revoke_invitation(uuid) is 'Withdraws an invitation that nobody has used.';
comment on function api.read_invitation(text) is 'The space and the role that the link of an invitation opens.';
comment on function api.accept_invitation(text) is 'Makes you a member of the space that invited you.';
comment on function api.set_member_role(uuid, text) is 'Makes a member of the space an owner, editor or viewer.';
comment on function api.remove_member(uuid) is
  'Removes a person from the space. Their keys and apps for it stop working at once.';
comment on function api.admin_make_owner(uuid, uuid) is 'Makes a member of a space its owner, for admins.';
comment on function api.leave_space() is 'Ends your membership of the space that you act for.';

grant select on api.spaces, api.members, api.invitations to authenticated;
grant execute on function
  api.create_space(text, text), api.update_space(text, text), api.delete_space(text), api.create_invitation(text, text),
  api.renew_invitation(uuid), api.revoke_invitation(uuid), api.accept_invitation(text), api.set_member_role(uuid, text),
  api.remove_member(uuid), api.leave_space(), app.space_name(uuid),
  app.member_facts(uuid, uuid), auth.member_role(uuid, uuid), auth.require_member(text, text)
  to authenticated;
grant execute on function api.read_invitation(text) to anon, authenticated;
grant execute on function api.admin_make_owner(uuid, uuid) to authenticated, service_role;
grant execute on function app.space_name(uuid), app.member_facts(uuid, uuid) to service_role;
grant execute on function app.space_name(uuid) to hoplet_auth;
grant execute on function app.space_mailbox(uuid) to hoplet_worker, hoplet_billing;
grant execute on function auth.invitation_opens_sign_up(text, text, boolean), auth.member_role(uuid, uuid),
  app.delete_memberships(uuid), app.take_claimed_spaces(uuid, jsonb, text) to hoplet_auth;
