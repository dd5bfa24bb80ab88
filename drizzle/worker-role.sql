-- Grants for the Worker's role: it reads and writes rows, and cannot change tables, functions or roles. Run this as the
-- owner, who migrates, before the first migration or after any; it covers tables of later migrations too. First create
-- the role, with a password of your own. That it cannot write the audit log is a trigger's work, whatever is granted here:
-- CREATE ROLE hca_worker LOGIN PASSWORD '…';
GRANT USAGE ON SCHEMA public TO hca_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO hca_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO hca_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO hca_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO hca_worker;
-- By default every role may create temporary tables and, before PostgreSQL 15, any table.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$;
