# The product with its PostgreSQL side, without torch. Two stages: what builds it does not stay in what runs.
FROM python:3.11-slim-bookworm AS build
RUN pip install --no-cache-dir uv==0.13.*
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
WORKDIR /app
# The environment changes seldom: it is a layer of its own. What is locked first, then what the extras need beside it.
COPY pyproject.toml requirements.txt ./
RUN uv venv --python 3.11 && uv pip install --require-hashes -r requirements.txt \
    && uv pip install -r pyproject.toml --extra postgres --extra local --extra mcp
COPY . .

FROM python:3.11-slim-bookworm
# By number, so that a cluster can tell that it is not root.
RUN groupadd --gid 10001 citewise && useradd --uid 10001 --gid 10001 --no-create-home citewise \
    && install -d -o 10001 -g 10001 -m 700 /data
WORKDIR /app
COPY --from=build /app /app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    CITEWISE_DATA_DIR=/data CITEWISE_HOST=0.0.0.0 CITEWISE_OPEN_BROWSER=false
USER 10001:10001
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:7860/healthz', timeout=2)"]
# SIGTERM ends it in order; `docker stop` gives it the time that compose.yaml says.
STOPSIGNAL SIGTERM
CMD ["python", "app.py"]
