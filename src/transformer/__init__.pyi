from transformer.run_folder import load as load
