from transformer.inference.run_folder import load as load
