-- Whoever is banned, and by whichever way, finds nothing when the ban is lifted that began before it: no session, no code
-- that would become one, no mailed link, no change of address. Codes go before sessions: an exchange that runs at the same
-- time holds its code, so its session is there to be deleted or is never made.
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
