-- Grants for the Worker's role, which reads and writes rows but cannot change tables, functions or roles. Run it as the owner,
-- before the first migration or after any. It also covers tables of later migrations. A trigger keeps the role from writing the
-- audit log, whatever is granted here. First create the role with your own password:
-- CREATE ROLE hca_worker LOGIN PASSWORD '…';
GRANT USAGE ON SCHEMA public TO hca_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO hca_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO hca_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO hca_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO hca_worker;
-- By default, every role may create temporary tables and, before PostgreSQL 15, any table.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$;
-- The Worker stops waiting for a statement after 15 s. This ends it in the database, too.
ALTER ROLE hca_worker SET statement_timeout = '60s';
