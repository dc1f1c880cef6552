#!/bin/sh
# Makes Hoplet's login and database. It may create roles, and is no superuser.
set -e
psql --username postgres --set "password=$POSTGRES_PASSWORD" <<'SQL'
create role hoplet_login login createrole password :'password';
create database hoplet owner hoplet_login;
SQL
