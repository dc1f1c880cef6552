-- True for the first account of a server that has no admin: its owner is told the command that makes one.
create function api.needs_admin() returns boolean
language sql stable security definer set search_path = '' as $$
  select case when exists (select from app.user_roles r where r.role = 'admin') then false
    else app.current_user_id() = (select p.id from app.profiles p order by p.created_at, p.id limit 1) end
$$;
grant execute on function api.needs_admin() to authenticated;
comment on function api.needs_admin() is 'Whether this server has no admin yet and yours is its first account.';
