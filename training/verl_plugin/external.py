"""What verl imports in every process of a run (`VERL_USE_EXTERNAL_MODULES=training.verl_plugin.external`).

The one module of the project that acts when imported: it is verl's own way to bring code into its workers, and it is
imported by nothing else. It repairs B1 (see `patches`).
"""

from training.verl_plugin import patches

REPAIRED = patches.apply()
"""Whether this process's verl needed the repair."""
