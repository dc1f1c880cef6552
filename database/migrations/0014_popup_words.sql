-- What a popup says is stored as the form stores it, without blanks around it, whoever writes it.
create function app.trim_popup() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.title := regexp_replace(new.title, '^\s+|\s+$', '', 'g');
  new.description := regexp_replace(new.description, '^\s+|\s+$', '', 'g');
  new.cta_text := regexp_replace(new.cta_text, '^\s+|\s+$', '', 'g');
  return new;
end $$;
create trigger trim before insert or update of title, description, cta_text on app.popups
  for each row execute function app.trim_popup();
