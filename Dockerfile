# syntax=docker/dockerfile:1
# A small image with Hoplet and the PostgreSQL that comes with it. See docs/self-hosting.md.

FROM node:24-trixie-slim AS build
WORKDIR /src
COPY . .
RUN npm run package -- /opt/hoplet

FROM node:24-trixie-slim
RUN groupadd --gid 10001 hoplet \
  && useradd --uid 10001 --gid hoplet --no-create-home --home-dir /data --shell /usr/sbin/nologin hoplet \
  && install --directory --owner hoplet --group hoplet --mode 0700 /data \
  && ln -s /opt/hoplet/bin/hoplet /usr/local/bin/hoplet \
  # Without a font, preview pictures and tags of links have no words.
  && apt-get update && apt-get install -y --no-install-recommends fontconfig-config fonts-dejavu-core \
  && rm -rf /var/lib/apt/lists/* \
  # The server needs neither package manager.
  && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn* /usr/local/bin/yarn*
COPY --from=build /opt/hoplet /opt/hoplet
USER 10001:10001
WORKDIR /data
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["hoplet"]
