-- Popup texts are stored without leading and trailing whitespace, as the form sends them. The set is that of JavaScript's
-- trim(). Not a regular expression: its time grows with the square of a long run of blanks.
create function app.trim_popup() returns trigger
language plpgsql set search_path = '' as $$
declare
  whitespace constant text := E' \t\n\u000b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
begin
  new.title := btrim(new.title, whitespace);
  new.description := btrim(new.description, whitespace);
  new.cta_text := btrim(new.cta_text, whitespace);
  return new;
end $$;
create trigger trim before insert or update of title, description, cta_text on app.popups
  for each row execute function app.trim_popup();
