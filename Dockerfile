# For the CPU build of torch, give the index that has it: docker build --build-arg PIP_EXTRA_INDEX_URL=… -t longleaf .
FROM python:3.11-slim-bookworm AS build

# pip reads it from the environment of the RUN steps below; it is not kept in the image.
ARG PIP_EXTRA_INDEX_URL=""
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

RUN python -m venv /opt/longleaf
ENV PATH=/opt/longleaf/bin:$PATH

WORKDIR /build
# The libraries first: they are large, and change less often than the source.
COPY pyproject.toml constraints.txt ./
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" \
      > requirements.txt \
    && pip install --constraint constraints.txt --requirement requirements.txt

COPY README.md LICENSE ./
COPY models models
COPY pipeline pipeline
COPY app app
RUN pip install --no-deps .


FROM python:3.11-slim-bookworm

# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-liberation poppler-utils tesseract-ocr tesseract-ocr-eng \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home --shell /usr/sbin/nologin longleaf \
    && install -d -o longleaf -g longleaf /cache

COPY --from=build /opt/longleaf /opt/longleaf

# Only /cache and /tmp are ever written to, so that the rest may be mounted read-only.
ENV PATH=/opt/longleaf/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1 \
    HF_HOME=/tmp/huggingface \
    LONGLEAF_CACHE=/cache

USER 1000:1000
WORKDIR /home/longleaf
EXPOSE 8000

HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=4)"]

ENTRYPOINT ["longleaf"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
