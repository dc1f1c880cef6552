-- As hoplet_worker (retention.ts).

select app.delete_old_clicks({rows}, '{clickDays}') as deleted;

select app.delete_unused_clicks({rows}, '{clickDays}') as deleted;

select app.keep_click_months('{clickDays}') as deleted;

select app.end_old_holds({rows}) as deleted;

select app.delete_old_audit({rows}) as deleted;

select app.delete_old_leads({rows}) as deleted;

select app.delete_idempotent_requests({rows}) as deleted;

delete from app.abuse_reports where id in (
  select id from app.abuse_reports where created_at < now() - interval '1 year' order by created_at, id limit {rows});

delete from app.ai_usage where (user_id, day) in (
  select user_id, day from app.ai_usage where day < app.today() - 31 limit {rows});

delete from app.missed_codes where (code, day) in (
  select code, day from app.missed_codes where day < app.today() - 90 limit {rows});

-- Without CHECK_LINKS all of them: nobody renews their findings.
delete from app.destination_checks where (user_id, address_hash) in (
  select user_id, address_hash from app.destination_checks where checked_at < now() - {checkDays} * interval '1 day' limit {rows});

-- Long after anything could queue the same email again.
delete from app.mail_outbox where coalesce(sent_at, failed_at) < now() - interval '90 days';

delete from app.erased_addresses where (user_id, hash) in (
  select user_id, hash from app.erased_addresses where erased_at < now() - interval '3 years' order by erased_at limit {rows});

delete from app.import_rows where (import_id, place) in (
  select r.import_id, r.place from app.imports i join app.import_rows r on r.import_id = i.id
  where coalesce(i.ended_at, i.created_at) < now() - interval '7 days'
    and i.state not in ('reading', 'running', 'waiting', 'paused') limit {rows});

delete from app.imports where id in (
  select i.id from app.imports i where coalesce(i.ended_at, i.created_at) < now() - interval '7 days'
    and i.state not in ('reading', 'running', 'waiting', 'paused')
    and not exists (select from app.import_rows r where r.import_id = i.id) limit {rows});

delete from app.servers where seen_at < now() - interval '1 day';

delete from app.webhook_events where id in (
  select id from app.webhook_events where state <> 'waiting' and finished_at < now() - interval '7 days' order by finished_at limit {rows});

-- The last of each webhook.
select 0 as deleted from (select app.trim_webhook_events(w.id) from app.webhooks w) trimmed;

-- No one makes events of them any more.
delete from app.webhook_clicks where id in (
  select id from app.webhook_clicks where made_at < now() - interval '1 day' order by made_at limit {rows});
