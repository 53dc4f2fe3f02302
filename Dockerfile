# The judging room, and every command: docker build -t rankgauge . && docker run --rm -p 8000:8000 rankgauge
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE requirements.lock ./
COPY tools tools
COPY src src
RUN python -m venv /opt/rankgauge \
    && /opt/rankgauge/bin/pip install --no-cache-dir -c requirements.lock ".[web,zstd,xlsx]"

FROM python:3.12-slim
COPY --from=build /opt/rankgauge /opt/rankgauge
ENV PATH=/opt/rankgauge/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    RANKGAUGE_DATABASE=sqlite:////data/rankgauge.db
RUN useradd --system --uid 10001 rankgauge && install -d -o rankgauge /data
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["rankgauge"]
CMD ["serve", "--host", "0.0.0.0"]
