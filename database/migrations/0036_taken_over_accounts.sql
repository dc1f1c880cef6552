-- What acts for the creator of an account, or remembers them, goes when the owner of its address takes it over.

create or replace function app.forget_claims(account uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  referrer uuid;
begin
  delete from app.referrals r where r.referred_user_id = account
    and not exists (select 1 from app.commissions c where c.payer_id = account)
    returning r.referrer_user_id into referrer;
  update app.affiliate_codes a set total_referrals = greatest(a.total_referrals - 1, 0) where a.user_id = referrer;
  update app.profiles set display_name = null, time_zone = null where id = account;
  -- With their events.
  delete from app.webhooks w where w.user_id = account;
  delete from app.click_mails m where m.user_id = account;
  delete from app.own_visitors v where v.user_id = account;
  delete from app.idempotent_requests r where r.user_id = account;
end $$;
