-- Row trigger: measures a training row's JSON size.
CREATE FUNCTION measure_training_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.wire_bytes := json_bytes(NEW.prompt) + json_bytes(NEW.completion);
  RETURN NEW;
END
$$;

CREATE TRIGGER training_rows_measure BEFORE INSERT OR UPDATE ON training_rows
  FOR EACH ROW EXECUTE FUNCTION measure_training_row();
