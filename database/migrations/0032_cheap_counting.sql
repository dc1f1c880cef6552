-- Counting a click updates the link's row, and PostgreSQL evaluates every CHECK of a row that it updates: the pattern of
-- app.is_destination took half the time of it. So the whole rule is asked where a destination is written, and the CHECK keeps
-- the part that costs next to nothing: http or https, printable ASCII without a backslash, at most 2,048 characters.

alter table app.shortened_urls
  drop constraint shortened_urls_destination,
  add constraint shortened_urls_destination check (
    length(original_url) <= 2048 and lower(left(original_url, 7)) in ('http://', 'https:/')
    and original_url !~ '[^!-\[\]-~]');

-- Fails as the CHECK does, so that whoever asks for the constraint's name gets the same.
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
