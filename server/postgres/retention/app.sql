-- As hoplet_worker (retention.ts).

-- The oldest ids first: no index by time is needed, and a batch never reads more than it may delete.
with old as materialized (select id from app.click_events order by id limit {rows})
delete from app.click_events e using old
  where e.id = old.id and e.at < now() - interval '{clickDays} days';

select app.end_old_holds({rows}) as deleted;

select app.forget_old_audit({rows}) as deleted;

delete from app.abuse_reports where id in (
  select id from app.abuse_reports where created_at < now() - interval '1 year' order by created_at, id limit {rows});

delete from app.ai_usage where (user_id, day) in (
  select user_id, day from app.ai_usage where day < app.today() - 31 limit {rows});

-- Long after anything could queue the same email again.
delete from app.mail_outbox where coalesce(sent_at, failed_at) < now() - interval '90 days';
