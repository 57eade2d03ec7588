"""The routes, one file each: a file `x.py` holds an APIRouter named `router`; `create_app` takes every one there is."""
